/** Renders Markdown to safe nodes. A worker produces the HTML, and this module sanitizes it. It is loaded lazily with the first text. */
import DOMPurify from 'dompurify'
import { MarkdownQueue, type Renderer } from './queue.ts'
import workerFile from './worker.ts?worker'

/** Links may use only these schemes. */
const LINK = /^(?:https?:|mailto:)/i

const purify = DOMPurify(window)
purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName === 'A') {
    node.setAttribute('rel', 'noopener noreferrer nofollow')
    node.setAttribute('target', '_blank')
  }
})

const address = new URL(workerFile, import.meta.url).href

/** The page's Trusted Types policy must name the allowed script URL: only this one. */
const { trustedTypes } = globalThis as TrustedTypesOfWindow
const scripts = trustedTypes?.createPolicy('phaseboard', { createScriptURL: () => address })

const queue = new MarkdownQueue(
  () => new Worker((scripts?.createScriptURL('') ?? address) as string) as Renderer,
)

const toNodes = (html: string | undefined): DocumentFragment | undefined =>
  html === undefined
    ? undefined
    : purify.sanitize(html, {
        RETURN_DOM_FRAGMENT: true,
        USE_PROFILES: { html: true },
        FORBID_TAGS: ['style', 'img', 'input', 'form', 'button', 'iframe', 'video', 'audio'],
        FORBID_ATTR: ['style', 'class', 'id'],
        ALLOWED_URI_REGEXP: LINK,
      })

/** A cached result; undefined if the text was not rendered before. */
export function renderedBefore(text: string): { nodes: DocumentFragment | undefined } | undefined {
  const known = queue.known(text)
  return known && { nodes: toNodes(known.html) }
}

/** Renders Markdown as HTML that is not sanitized yet; undefined if the text exceeds the limits. @throws Error as `renderMarkdown` */
export const renderHtml = (text: string): Promise<string | undefined> => queue.html(text)

/**
 * Renders Markdown as nodes that are safe to show.
 * @param signal aborts if the text is no longer needed
 * @returns undefined if the text exceeds the limits; it then shows as plain text
 * @throws Error if the renderer cannot be loaded
 */
export async function renderMarkdown(
  text: string,
  signal: AbortSignal,
): Promise<DocumentFragment | undefined> {
  return toNodes(await queue.html(text, signal))
}

/** Loads the worker's script into the browser's cache, so that it starts without the service. */
export const fetchWorker = async (): Promise<void> => void (await fetch(address))
