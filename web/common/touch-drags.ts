/**
 * Turns touches into drag events, from the moment it is imported. It is a module of ours, so that its file is named like the
 * page's other files.
 */
import { enableDragDropTouch } from '@dragdroptouch/drag-drop-touch'
import { touchDrags } from './drag-by-touch.ts'

const begin = (event: Event) => {
  // Events made from touches are not the browser's own.
  touchDrags.isRunning = !event.isTrusted
}
const end = () => {
  touchDrags.isRunning = false
}

// During a browser's own drag the pointer does not move, so the drag library takes some moves as the sign of a lost
// end. A finger moves all the time. This listener is registered before any drag, so it runs first.
addEventListener('dragstart', begin, true)
addEventListener('dragend', end, true)
addEventListener('pointerdown', end, true)
addEventListener('pointermove', (event) => touchDrags.isRunning && event.stopImmediatePropagation(), true)

enableDragDropTouch(document, document, {
  isPressHoldMode: true,
  pressHoldDelayMS: 300,
  pressHoldMargin: 25,
  // The drag library scrolls at the edges in both cases.
  allowDragScroll: false,
})
