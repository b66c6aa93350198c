/** The worker that makes HTML of Markdown: says that it is there, and answers each text. */
import { toHtml } from './html.ts'
import type { Answer } from './queue.ts'

const say = (answer: Answer) => globalThis.postMessage(answer)

globalThis.addEventListener('message', ({ data }: MessageEvent<string>) => say({ html: toHtml(data) }))
say('ready')
