/** Lets the user choose a version if somebody else has changed the text that the user was editing. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { makerFirst } from '../actors.ts'
import { differencesOf, type Piece } from './differences.ts'
import type { TextEdit } from './use-text-edit.ts'

const words = texts.editing.conflict

const Version = ({ title, pieces }: { title: string; pieces: readonly Piece[] }) => (
  <section class="edit-version" aria-label={title}>
    <p class="edit-version-title">{title}</p>
    <p class="edit-version-text" dir="auto">
      {pieces.length === 0 && <span class="muted">{words.empty}</span>}
      {pieces.map(({ text, isDifferent }, index) =>
        isDifferent ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
      )}
    </p>
  </section>
)

/** Both versions in full, with the differences marked. @param called the name of the field, e.g. "title" */
export function ConflictNotice({ edit, called }: { edit: TextEdit; called: string }) {
  const first = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => first.current?.focus(), [])
  const { theirs, yours } = differencesOf(edit.theirs, edit.text)
  const maker = edit.maker?.()
  return (
    <div class="edit-conflict">
      <p ref={first} tabIndex={-1} role="alert">
        {words.text(called, maker && makerFirst(maker))}
      </p>
      <div class="edit-versions">
        <Version title={words.theirs} pieces={theirs} />
        <Version title={words.yours} pieces={yours} />
      </div>
      <div class="row">
        {edit.merged !== undefined && (
          <button type="button" class="button-primary" onClick={edit.takeMerged}>
            {words.merge}
          </button>
        )}
        <button
          type="button"
          class={edit.merged === undefined ? 'button-primary' : 'button'}
          onClick={edit.keepMine}
        >
          {words.keepMine}
        </button>
        <button type="button" class="button" onClick={edit.discard}>
          {words.takeTheirs}
        </button>
        <button type="button" class="button" onClick={edit.keepEditing}>
          {texts.editing.keepEditing}
        </button>
      </div>
    </div>
  )
}
