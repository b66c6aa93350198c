/** Changes of a team's members. */

/** The members of a team after some were added and removed. Members whom others have added in the meantime stay. */
export const withChanges = (
  latest: readonly string[],
  before: readonly string[],
  after: readonly string[],
): string[] => {
  const gone = before.filter((id) => !after.includes(id))
  const come = after.filter((id) => !before.includes(id))
  return [...new Set([...latest.filter((id) => !gone.includes(id)), ...come])]
}
