/** The button by which the user watches a card or a project, or ends that. */
import { useEffect, useState } from 'preact/hooks'
import { later } from '../later-texts.ts'
import { api, sending } from './api.ts'
import { onChange, onReset } from './live.ts'
import { me, read } from './session.ts'
import { shownTitle } from './titles.ts'
import { announce, failed } from './toasts.ts'
import { together } from './together.ts'
import { Icon } from './ui/icon.tsx'
import { write } from './writes.ts'

const words = later.attention

interface WatchButtonProps {
  kind: 'card' | 'project'
  id: string
  /** The title of the card, or the name of the project. */
  title: string
}

const PATHS = { card: '/api/kanban-items/{id}/watch', project: '/api/projects/{id}/watch' } as const

/** Whether the user watches it. */
async function isWatching(kind: WatchButtonProps['kind'], id: string): Promise<boolean> {
  return (await read(() => api.get(PATHS[kind], { path: { id } }))).watching
}

export function WatchButton({ kind, id, title }: WatchButtonProps) {
  /** Undefined until it is known. */
  const [isOn, setOn] = useState<boolean | undefined>()
  useEffect(() => {
    let isCurrent = true
    // Without an answer it stays unknown, and the button hidden.
    const look = () =>
      void isWatching(kind, id).then(
        (found) => isCurrent && setOn(found),
        () => undefined,
      )
    look()
    return together(
      onReset(look),
      // A user who comments or is assigned watches from then on.
      onChange((change) => {
        const { after, actorId, itemId } = change
        const isOwn =
          actorId === me.peek()?.id ||
          (after?.assigneeIds as string[] | undefined)?.includes(me.peek()?.id ?? '')
        if (kind === 'card' && isOwn && (itemId === id || change.id === id)) look()
      }),
      () => {
        isCurrent = false
      },
    )
  }, [kind, id])
  if (isOn === undefined) return null
  const toggle = async () => {
    setOn(!isOn)
    try {
      const { data } = await write(sending(isOn ? 'delete' : 'put', PATHS[kind], { path: { id } }))
      setOn(data.watching)
      const name = shownTitle(title)
      announce(data.watching ? words.watched(name) : words.unwatched(name))
    } catch (error) {
      if (!failed(error)) setOn(isOn)
    }
  }
  const ofKind = kind === 'card' ? words.ofCard : words.ofProject
  return (
    <button
      type="button"
      class="button"
      title={isOn ? words.endHint : ofKind.hint}
      onClick={() => void toggle()}
    >
      <Icon name={isOn ? 'check' : 'bell'} /> {isOn ? ofKind.on : ofKind.off}
    </button>
  )
}
