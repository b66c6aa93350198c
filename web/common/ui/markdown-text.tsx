/**
 * A text in Markdown. What renders it is loaded with the first; until then, and where there is too much of it, the text shows as it
 * is.
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Updated } from './late.tsx'

type Render = typeof import('../markdown.ts').renderMarkdown

let render: Render | undefined

export function MarkdownText({ text }: { text: string }) {
  const element = useRef<HTMLDivElement>(null)
  const [step, setStep] = useState<'loading' | 'ready' | 'failed'>(render ? 'ready' : 'loading')
  useLayoutEffect(() => {
    if (step !== 'ready' || !render) return
    const rendered = render(text)
    element.current?.classList.toggle('markdown', rendered !== undefined)
    element.current?.classList.toggle('markdown-plain', rendered === undefined)
    element.current?.replaceChildren(rendered ?? text)
  }, [step, text])
  useLayoutEffect(() => {
    if (step !== 'loading') return
    import('../markdown.ts').then(
      ({ renderMarkdown }) => {
        render = renderMarkdown
        setStep('ready')
      },
      () => setStep('failed'),
    )
  }, [step])
  if (step === 'ready') return <div key="ready" ref={element} dir="auto" />
  return (
    <>
      <p key="plain" class="markdown-plain" dir="auto">
        {text}
      </p>
      {step === 'failed' && <Updated />}
    </>
  )
}
