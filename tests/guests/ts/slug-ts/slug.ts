export interface ToolError {
  code: string;
  message: string;
  detailsJson: string | null;
}

export function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}
