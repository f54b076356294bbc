// The smallest TypeScript guest: types are checked by the editor and removed by the bundler.

import { type ToolError, slug } from "./slug";

export const tools = {
  invoke(toolId: string, inputJson: string): string {
    const { title } = JSON.parse(inputJson) as { title?: unknown };
    if (typeof title !== "string") {
      const error: ToolError = { code: "invalid_title", message: `${toolId} needs a title`, detailsJson: null };
      throw error;
    }
    return JSON.stringify({ slug: slug(title) });
  },
};
