export function explode(reason) {
  const error = new Error(reason);
  throw error;
}
