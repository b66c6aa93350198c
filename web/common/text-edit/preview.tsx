/** The preview of Markdown that is being typed. */
import { useEffect, useState } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { MarkdownText } from '../markdown/markdown-text.tsx'

/** The pause in typing after which the preview follows, in milliseconds. */
const AFTER = 200

export function Preview({ text }: { text: string }) {
  const [shown, setShown] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setShown(text), AFTER)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <section class="edit-preview" aria-label={texts.editing.preview}>
      {shown.trim() === '' ? <p class="muted">{texts.editing.noPreview}</p> : <MarkdownText text={shown} />}
    </section>
  )
}
