/** Texts that a tool's editor stores as HTML, as Markdown. */

const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#39', "'"],
  ['nbsp', ' '],
])

/** What a tag becomes: a mark around its text, or before it. */
const MARKS = new Map([
  ['strong', '**'],
  ['b', '**'],
  ['em', '*'],
  ['i', '*'],
  ['s', '~~'],
  ['code', '`'],
])

const BLOCKS = new Set([
  'p',
  'div',
  'ul',
  'ol',
  'blockquote',
  'pre',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'table',
])

/** A tag. Linear: neither part can begin within the other. */
const TAG = /<(\/?)([a-z][a-z0-9]*)(?![a-z0-9])([^<>]*)>/gi

/**
 * The text of HTML as Markdown; any other text as it is. It does not check the HTML: an unknown tag disappears, its text stays.
 */
export function textOfHtml(html: string): string {
  if (!/^\s*<[a-z][^<>]*>/i.test(html)) return html
  const links: string[] = []
  const marked = html.replace(TAG, (_, slash: string, written: string, attributes: string) => {
    const tag = written.toLowerCase()
    const isEnd = slash !== ''
    if (tag === 'br') return '\n'
    if (tag === 'li')
      return isEnd
        ? ''
        : `\n- ${/data-checked="true"/.test(attributes) ? '[x] ' : /data-checked=/.test(attributes) ? '[ ] ' : ''}`
    if (/^h[1-6]$/.test(tag) && !isEnd) return `\n\n${'#'.repeat(Number(tag[1]))} `
    if (BLOCKS.has(tag)) return '\n\n'
    if (tag === 'a') {
      if (isEnd) return `](${links.pop() ?? ''})`
      links.push(/href="([^"]*)"/.exec(attributes)?.[1] ?? '')
      return '['
    }
    return MARKS.get(tag) ?? ''
  })
  return marked
    .replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (entity, name: string) => ENTITIES.get(name) ?? entity)
    .replace(/- (\[[x ]\] )?\n+/g, '- $1')
    .replace(/\n{3,}/g, '\n\n')
    .replaceAll('\n\n- ', '\n- ')
    .trim()
}
