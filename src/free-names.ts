/** Unique names made from names of people and projects. */

/**
 * The first free one of a name and the same name with each number: `ada`, `ada2`, `ada3`, ...
 * @param longest characters of a name
 * @param cut the beginning of a name, of at most some characters
 */
export function firstFree(
  name: string,
  taken: ReadonlySet<string>,
  longest: number,
  cut = (text: string, length: number) => text.slice(0, length),
): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : String(number)
    const one = `${cut(name, longest - suffix.length)}${suffix}`
    if (!taken.has(one)) return one
  }
}
