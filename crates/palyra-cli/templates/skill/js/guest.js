// The tools of {{skill_id}}.

const TOOLS = new Map([["{{tool}}", greet]]);

export const tools = {
  invoke(toolId, inputJson) {
    const tool = TOOLS.get(toolId);
    if (!tool) throw { code: "unknown_tool", message: `there is no tool ${toolId}`, detailsJson: null };
    return JSON.stringify(tool(JSON.parse(inputJson)));
  },
};

// The input was checked against the schema in skill.toml.
function greet({ name }) {
  console.log(`greeting ${name}`);
  return { greeting: `Hello, ${name}!` };
}
