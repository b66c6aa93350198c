/** The board behind a share link, to read: the same columns and cards as on the board itself. */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { ProjectStore } from '../common/project-store.ts'
import { shownTitle } from '../common/titles.ts'
import { Failed, Loading, Page } from '../common/ui/page.tsx'
import { back, place } from '../router.ts'
import { texts } from '../texts.ts'
import { Board } from './board.ts'
import { BoardView } from './board-view.tsx'
import { focusCard } from './focus.ts'
import { SharedCard } from './shared-card.tsx'
import { SharedProject } from './shared-project.ts'

const words = texts.shared

/** The parameter of the address that names the open card. */
const CARD = 'card'

/** The path of the board, with an open card. */
function pathOf(secret: string, card?: string): string {
  const query = new URLSearchParams(place.peek().query)
  if (card === undefined) query.delete(CARD)
  else query.set(CARD, card)
  const text = query.toString()
  return `/shared/${encodeURIComponent(secret)}${text && `?${text}`}`
}

export default function SharedPage({ secret }: { secret: string }) {
  const shared = useMemo(() => new SharedProject(secret), [secret])
  useEffect(() => shared.follow(), [shared])
  const state = shared.state.value
  const name = state.step === 'ready' ? state.store.project?.name : undefined
  return (
    <Page
      title={name === undefined ? words.title : shownTitle(name)}
      aside={state.step === 'ready' && <p class="muted">{words.readOnly}</p>}
      class={state.step === 'ready' ? 'project-page board-page shared-page' : 'sign-in'}
    >
      {state.step === 'loading' && <Loading />}
      {state.step === 'failed' && <Failed error={state.error} retry={() => void shared.load()} />}
      {state.step === 'gone' && (
        <div class="panel">
          <p role="alert">{words.gone}</p>
        </div>
      )}
      {state.step === 'ready' && <SharedBoard store={state.store} secret={secret} />}
    </Page>
  )
}

function SharedBoard({ store, secret }: { store: ProjectStore; secret: string }) {
  const board = useMemo(() => new Board(store, (id) => pathOf(secret, id)), [store, secret])
  const open = place.value.query.get(CARD) ?? ''
  const before = useRef(open)
  useEffect(() => {
    const closed = before.current
    before.current = open
    if (closed !== '' && open === '') focusCard(board, closed)
  }, [board, open])
  return (
    <>
      <BoardView board={board} />
      {open !== '' && <SharedCard key={open} store={store} id={open} onClose={() => back(pathOf(secret))} />}
    </>
  )
}
