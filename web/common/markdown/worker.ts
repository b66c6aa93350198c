/** The worker that renders Markdown as HTML. It reports that it is ready, and then answers each text. */
import { toHtml } from './html.ts'
import type { Answer } from './queue.ts'

const say = (answer: Answer) => globalThis.postMessage(answer)

globalThis.addEventListener('message', ({ data }: MessageEvent<string>) => say({ html: toHtml(data) }))
say('ready')
