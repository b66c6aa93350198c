/** New texts that were refused, or may not have arrived, to add again or to discard. */
import { later } from '../../later-texts.ts'
import { texts } from '../../texts.ts'
import type { Unsent } from '../use-unsent.ts'

export function LeftTexts({ unsent, add }: { unsent: Unsent; add: (text: string) => void }) {
  const { left, forget } = unsent
  if (left.length === 0) return null
  const addAll = () => {
    forget()
    for (const text of left) add(text)
  }
  return (
    <div role="note">
      <span>{later.notAdded}</span>
      <ul>
        {left.map((text, index) => (
          <li key={index} dir="auto">
            {text}
          </li>
        ))}
      </ul>
      <button type="button" class="button-link" onClick={addAll}>
        {texts.add}
      </button>
      <button type="button" class="button-link" onClick={forget}>
        {texts.discard}
      </button>
    </div>
  )
}
