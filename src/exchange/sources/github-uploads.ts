/** The files that people have dragged into texts on GitHub: it lists them nowhere, and has a link to each in the text. */
import { isBlank } from '../imports/names.ts'

/** A file in a text. */
export interface Upload {
  /** Its text or alternative text there, or the last part of its URL. */
  name: string
  url: string
}

/** A URL in Markdown or HTML. It is no longer than any link here may be. */
const URLS = /https:\/\/[^\s<>()"'\]`\\]{1,2000}/g

/** Where GitHub and GitHub Enterprise store uploads: since 2023, before, and images long ago. */
const UPLOADS = [
  /^https:\/\/[^/]+\/user-attachments\/(?:assets|files)\/./,
  /^https:\/\/github\.com\/[^/]+\/[^/]+\/(?:assets|files)\/\d/,
  /^https:\/\/user-images\.githubusercontent\.com\/./,
]

/** What may precede a URL: `[text](` of Markdown, or an image of HTML. */
const MARKDOWN = /\[([^[\]\n]*)\]\($/
const HTML = /\balt="([^"<>]*)"/

/** Characters before a URL that are searched for its name. */
const BEFORE = 400

/** The files in a Markdown text, in order, each once. */
export function uploadsIn(markdown: string): Upload[] {
  const found = new Map<string, string>()
  for (const { 0: match, index } of markdown.matchAll(URLS)) {
    // Of a sentence, not of the URL.
    const url = match.replace(/(?<![.,:;!?*_])[.,:;!?*_]+$/, '')
    if (found.has(url) || !UPLOADS.some((upload) => upload.test(url))) continue
    const before = markdown.slice(Math.max(0, index - BEFORE), index)
    // Of the element that the URL is in.
    const element = before.slice(Math.max(before.lastIndexOf('<'), before.lastIndexOf('>')) + 1)
    const name = (MARKDOWN.exec(before) ?? HTML.exec(element))?.[1] ?? ''
    found.set(url, isBlank(name) ? lastPart(url) : name)
  }
  return [...found].map(([url, name]) => ({ url, name }))
}

/** The last part of a URL's path, as people read it. */
function lastPart(url: string): string {
  const part = url.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
