/** The focus after a text of a card was edited. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { TextEdit } from '../common/text-edit/use-text-edit.ts'

/** A ref of the button that begins to edit a text: it gets the focus again when the field is closed. */
export function useFocusAfter({ mode }: TextEdit) {
  const button = useRef<HTMLButtonElement>(null)
  const former = useRef(mode)
  useLayoutEffect(() => {
    if (former.current === 'editing' && mode === 'shown') button.current?.focus()
    former.current = mode
  }, [mode])
  return button
}
