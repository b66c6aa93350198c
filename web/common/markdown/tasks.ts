/** Tasks in Markdown, `- [ ]`: their states in the rendered text, and their places in the source. */

/** The renderer's output for a checkbox. Markdown cannot produce it in another way, because raw HTML is escaped. */
const RENDERED = /<span data-task="([01])">/g

/** A possible task: a list marker with a checkbox. Code may contain it, too. */
const MARKER = /(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\](?=[ \t\n])/g

/** The maximum number of places that are tried. */
const MOST_TRIED = 50

/** Whether each checkbox of a rendered text is ticked, in order. */
const statesOf = (html: string | undefined): string[] =>
  [...(html ?? '').matchAll(RENDERED)].map(([, state = '']) => state)

/**
 * Ticks a task, or unticks it.
 * @param index its place among the checkboxes of the rendered text
 * @param render renders Markdown as HTML; undefined for a text beyond the limits
 * @returns the new text; undefined if the task cannot be found. It is found by trying: of all places that may be tasks, one
 *   changes this checkbox and nothing else.
 */
export async function withTask(
  text: string,
  index: number,
  isTicked: boolean,
  render: (text: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const before = statesOf(await render(text))
  const state = isTicked ? '1' : '0'
  if (before[index] === undefined) return undefined
  if (before[index] === state) return text
  const wanted = before.with(index, state).join()
  const places = [...text.matchAll(MARKER)].map((match) => match.index + match[0].length - 2)
  // Usually all are tasks. Those in code come before it.
  const likely = [...places.slice(index), ...places.slice(0, index)].slice(0, MOST_TRIED)
  for (const place of likely) {
    const after = `${text.slice(0, place)}${isTicked ? 'x' : ' '}${text.slice(place + 1)}`
    if (statesOf(await render(after)).join() === wanted) return after
  }
  return undefined
}
