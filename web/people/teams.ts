/** Teams: who comes and who goes. */

/** Who is in a team after some have come and gone; whoever else came meanwhile stays. */
export const withChanges = (
  latest: readonly string[],
  before: readonly string[],
  after: readonly string[],
): string[] => {
  const gone = before.filter((id) => !after.includes(id))
  const come = after.filter((id) => !before.includes(id))
  return [...new Set([...latest.filter((id) => !gone.includes(id)), ...come])]
}
