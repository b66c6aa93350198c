/** Files that are dropped on a card are attached to it. */

import { acceptFiles, filesOf, hasFiles } from '../common/files/dragged-files.ts'
import { retryUpload, upload } from '../common/files/uploads.ts'
import { isUnsaved } from '../common/record-writes.ts'
import { toast } from '../common/toasts.ts'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'

/** Marks the card that would get the files. Not rendered by Preact, so that moving cards are not rendered again. */
const MARK = 'data-takes-files'

const cardAt = ({ target }: Event): HTMLElement | undefined => {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-card]') : null
  const id = row?.dataset.card
  return row === null || id === undefined || isUnsaved(id) ? undefined : row
}

/** Whether a drop is for the board: a dialog above it has its own. */
const isForBoard = (event: Event) =>
  event.target instanceof Element && event.target.closest('dialog') === null && !event.defaultPrevented

/** Attaches dropped files to cards. @returns stops */
export function followFiles(board: Board): () => void {
  let marked: HTMLElement | undefined
  const mark = (row: HTMLElement | undefined) => {
    if (row === marked) return
    marked?.removeAttribute(MARK)
    row?.setAttribute(MARK, '')
    marked = row
  }
  const onOver = (event: DragEvent) => {
    if (!hasFiles(event) || !isForBoard(event)) return
    const row = cardAt(event)
    // Beside the cards, too: otherwise the browser would leave the board and open the file.
    acceptFiles(event)
    if (row === undefined && event.dataTransfer) event.dataTransfer.dropEffect = 'none'
    mark(row)
  }
  const onLeave = (event: DragEvent) => {
    if (event.relatedTarget === null) mark(undefined)
  }
  const onDrop = (event: DragEvent) => {
    mark(undefined)
    if (!hasFiles(event) || !isForBoard(event)) return
    event.preventDefault()
    const id = cardAt(event)?.dataset.card
    if (id !== undefined) attach(board, id, filesOf(event.dataTransfer))
  }
  document.addEventListener('dragover', onOver)
  document.addEventListener('dragleave', onLeave)
  document.addEventListener('drop', onDrop)
  return () => {
    mark(undefined)
    document.removeEventListener('dragover', onOver)
    document.removeEventListener('dragleave', onLeave)
    document.removeEventListener('drop', onDrop)
  }
}

function attach(board: Board, id: string, files: readonly File[]): void {
  const title = board.store.items.peek(id)?.title ?? ''
  for (const file of files) {
    upload(id, file, {
      message: (attachment) => ({
        text: texts.files.attachedTo(attachment.name, title),
        many: texts.files.manyAttached,
        of: attachment.id,
      }),
      onFailed: (failed, error) =>
        toast(
          texts.files.notAttached(failed.name, error),
          [{ label: texts.tryAgain, run: () => retryUpload(failed) }],
          'alert',
        ),
    })
  }
}
