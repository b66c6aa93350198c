/** Files that are pasted or dropped into a text: they are uploaded, and the text shows or links them. */
import { texts } from '../../texts.ts'
import type { Attachment } from '../api.ts'
import { applyEdit, selectedIn } from '../text-edit/apply-edit.ts'
import { filesOf, hasFiles } from './dragged-files.ts'
import { type OnLate, uploading } from './files-context.ts'
import type { ItemFiles } from './item-files.ts'
import { isPicture, isPictureType } from './kinds.ts'

/** A name within Markdown. */
const escaped = (name: string) => name.replace(/[\\[\]]/g, '\\$&')

/** The Markdown of an attachment: a picture, or a link. */
const markdownOf = (attachment: Attachment): string =>
  `${isPicture(attachment) ? '!' : ''}[${escaped(attachment.name)}](attachment:${attachment.id})`

let last = 0

/**
 * Replaces a placeholder, wherever the caret is by now: in the field that has it, which may be another one if the text was closed and
 * opened again.
 */
function replace(placeholder: string, text: string, onLate: OnLate): void {
  const fields = [...document.querySelectorAll('textarea')]
  const field = fields.find(({ value }) => value.includes(placeholder))
  if (field === undefined) {
    onLate(placeholder, text)
    return
  }
  const at = field.value.indexOf(placeholder)
  const after = at + placeholder.length
  // A caret at the end of the placeholder stays at the end of the text. `preserve` would select the text, and the next key replace it.
  const moved = (caret: number) => (caret <= at ? caret : Math.max(caret, after) - after + at + text.length)
  const { start, end } = selectedIn(field)
  field.setRangeText(text, at, after)
  field.setSelectionRange(moved(start), moved(end))
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
}

/** Uploads files and inserts them at the caret, with a placeholder until they are uploaded. */
async function insert(
  field: HTMLTextAreaElement,
  files: ItemFiles,
  added: readonly File[],
  onLate: OnLate,
): Promise<void> {
  await Promise.all(
    added.map(async (file) => {
      // Several files may have the same name.
      const placeholder = `![${escaped(texts.files.uploading(file.name))}](${++last})`
      const { start, end } = selectedIn(field)
      const caret = start + placeholder.length
      uploading.value = new Set([...uploading.peek(), placeholder])
      applyEdit(field, { from: start, to: end, insert: placeholder, start: caret, end: caret })
      try {
        const attachment = await files.attach(file)
        replace(placeholder, attachment ? markdownOf(attachment) : '', onLate)
      } finally {
        uploading.value = new Set([...uploading.peek()].filter((one) => one !== placeholder))
      }
    }),
  )
}

/** Lets a field take files. @returns stops */
export function takeFiles(field: HTMLTextAreaElement, files: ItemFiles, onLate: OnLate): () => void {
  const take = (event: Event, added: readonly File[]) => {
    if (added.length === 0 || field.readOnly || !files.canAttach()) return
    event.preventDefault()
    event.stopPropagation()
    void insert(field, files, added, onLate)
  }
  const onPaste = (event: ClipboardEvent) => {
    // Spreadsheets and word processors add a picture of the text.
    const isText = event.clipboardData?.types.includes('text/plain') ?? false
    if (!isText)
      take(
        event,
        filesOf(event.clipboardData).filter(({ type }) => isPictureType(type)),
      )
  }
  const onDrop = (event: DragEvent) => {
    if (hasFiles(event)) take(event, filesOf(event.dataTransfer))
  }
  field.addEventListener('paste', onPaste)
  field.addEventListener('drop', onDrop)
  return () => {
    field.removeEventListener('paste', onPaste)
    field.removeEventListener('drop', onDrop)
  }
}
