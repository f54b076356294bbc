// Lists the entries of a ZIP file with yauzl, one per line. Usage: node list.mjs NODE_MODULES_PARENT FILE
import { createRequire } from "node:module";
import path from "node:path";

const [tools, file] = process.argv.slice(2);
const yauzl = createRequire(path.join(tools, "package.json"))("yauzl");

yauzl.open(file, { lazyEntries: true, strictFileNames: true }, (error, zip) => {
  if (error) throw error;
  zip.on("error", (problem) => { throw problem; });
  zip.on("entry", (entry) => {
    console.log(entry.fileName);
    zip.readEntry();
  });
  zip.readEntry();
});
