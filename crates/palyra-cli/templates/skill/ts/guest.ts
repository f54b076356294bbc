// The tools of {{skill_id}}. Types are checked by the editor and removed by the build.

interface ToolError {
  code: string;
  message: string;
  detailsJson: string | null;
}

interface Person {
  name: string;
}

interface Greeting {
  greeting: string;
}

const TOOLS = new Map<string, (input: Person) => Greeting>([["{{tool}}", greet]]);

export const tools = {
  invoke(toolId: string, inputJson: string): string {
    const tool = TOOLS.get(toolId);
    if (!tool) {
      const error: ToolError = { code: "unknown_tool", message: `there is no tool ${toolId}`, detailsJson: null };
      throw error;
    }
    return JSON.stringify(tool(JSON.parse(inputJson)));
  },
};

// The input was checked against the schema in skill.toml.
function greet({ name }: Person): Greeting {
  console.log(`greeting ${name}`);
  return { greeting: `Hello, ${name}!` };
}
