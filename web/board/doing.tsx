/** The card actions of the board: the menu, the small pickers of fields, and the bar of selected cards. Loaded after the board. */
import { useEffect } from 'preact/hooks'
import type { Board } from './board.ts'
import { CardMenu } from './card-menu.tsx'
import { CardPicker } from './card-picker.tsx'
import { followFiles } from './drop-files.ts'
import { focusCard } from './focus.ts'
import { SelectionBar } from './selection-bar.tsx'

export interface DoingProps {
  board: Board
}

export default function Doing({ board }: DoingProps) {
  const menu = board.menu.value
  const picking = board.picking.value
  useEffect(() => followFiles(board), [board])
  const closePicker = () => {
    if (board.picking.peek() !== picking || picking === undefined) return
    board.picking.value = undefined
    const [id] = picking.ids
    const { anchor } = picking
    if (anchor instanceof HTMLButtonElement && anchor.isConnected) anchor.focus()
    else if (id !== undefined) focusCard(board, id)
  }
  return (
    <>
      <SelectionBar board={board} />
      {menu && <CardMenu key={menu.id} board={board} id={menu.id} anchor={menu.anchor} />}
      {picking && <CardPicker board={board} picking={picking} onClose={closePicker} />}
    </>
  )
}
