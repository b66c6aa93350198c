/** Atlassian's document format, in which Jira Cloud's API gives texts, as Markdown. */
import type { JsonObject } from '../../json.ts'
import { isObject, number, objects, text } from './source-values.ts'

/** A text as Markdown. `isWhole` tells whether the Markdown has everything in the document, so that the original need not be stored. */
interface ReadableText {
  text: string
  isWhole: boolean
}

/** Reads a text, which may be a document, plain text (from the API's version 2 or Jira Server), or absent. */
export function readableText(value: unknown): ReadableText {
  if (!isObject(value)) return { text: text(value), isWhole: true }
  const writer = new Writer()
  const markdown = writer.blocks(value, '')
  return { text: markdown.trim(), isWhole: writer.isWhole }
}

/** The Markdown around a text with marks. */
const MARKS = new Map([
  ['strong', '**'],
  ['em', '*'],
  ['code', '`'],
  ['strike', '~~'],
])

/** Known blocks and marks. Of others, such as panels, only the text is read, and the result does not count as whole. */
class Writer {
  isWhole = true

  /** The blocks in a node, separated by blank lines. `indent` precedes each line. */
  blocks(node: JsonObject, indent: string): string {
    return objects(node.content)
      .map((block) => this.#block(block, indent))
      .join('\n\n')
  }

  #block(block: JsonObject, indent: string): string {
    const attributes = isObject(block.attrs) ? block.attrs : {}
    switch (block.type) {
      case 'paragraph':
        return indent + this.#inline(block)
      case 'heading':
        return `${indent}${'#'.repeat(Math.min(6, Math.max(1, number(attributes.level) ?? 1)))} ${this.#inline(block)}`
      case 'codeBlock':
        return `\`\`\`${text(attributes.language)}\n${this.#inline(block)}\n\`\`\``
      case 'blockquote':
        return this.blocks(block, `${indent}> `)
      case 'rule':
        return `${indent}---`
      case 'bulletList':
      case 'orderedList':
        return this.#list(block, indent)
      default:
        this.isWhole = false
        return Array.isArray(block.content) &&
          block.content.some((child) => isObject(child) && 'content' in child)
          ? this.blocks(block, indent)
          : indent + this.#inline(block)
    }
  }

  #list(list: JsonObject, indent: string): string {
    return objects(list.content)
      .map((item, index) => {
        const mark = list.type === 'orderedList' ? `${index + 1}. ` : '- '
        const inner = indent + ' '.repeat(mark.length)
        return indent + mark + this.blocks(item, inner).slice(inner.length)
      })
      .join('\n')
  }

  #inline(node: JsonObject): string {
    if (Array.isArray(node.content))
      return objects(node.content)
        .map((child) => this.#inline(child))
        .join('')
    if (node.type === 'text') return this.#marked(text(node.text), objects(node.marks))
    if (node.type === 'hardBreak') return '\n'
    if (node.type === 'paragraph') return ''
    this.isWhole = false
    const attributes = isObject(node.attrs) ? node.attrs : {}
    return text(attributes.text) || text(attributes.shortName) || text(attributes.url)
  }

  #marked(plain: string, marks: JsonObject[]): string {
    return marks.reduce((marked, { type, attrs }) => {
      const around = MARKS.get(text(type))
      if (around !== undefined) return `${around}${marked}${around}`
      if (type === 'link' && isObject(attrs)) return `[${marked}](${text(attrs.href)})`
      this.isWhole = false
      return marked
    }, plain)
  }
}
