/**
 * Turns touches into the events of dragging, from when it is imported. A module of our own, so that its file is named as those of
 * the page are.
 */
import { enableDragDropTouch } from '@dragdroptouch/drag-drop-touch'

/** Whether touches are dragging just now: events that are made from them are none of the browser's own. */
let isDragging = false
const begin = (event: Event) => {
  isDragging = !event.isTrusted
}
const end = () => {
  isDragging = false
}

// While the browser drags by the mouse no pointer moves, so what follows drags takes some moves for the end of one that was lost.
// A finger moves all the time. This listens from before any drag, and is asked first.
addEventListener('dragstart', begin, true)
addEventListener('dragend', end, true)
addEventListener('pointerdown', end, true)
addEventListener('pointermove', (event) => isDragging && event.stopImmediatePropagation(), true)

enableDragDropTouch(document, document, {
  isPressHoldMode: true,
  pressHoldDelayMS: 300,
  pressHoldMargin: 25,
  // Scrolling at the edges is done for both by the library that drags.
  allowDragScroll: false,
})
