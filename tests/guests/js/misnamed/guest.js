// The contract wants `tools`.
export const tool = { invoke: () => "1" };
