/** The user's own ideas: open ones in order, and below them the others. */
import { useRef, useState } from 'preact/hooks'
import type { PersonalIdea } from '../common/api.ts'
import { drafts } from '../common/drafts.ts'
import { useLiveList } from '../common/live-list.ts'
import { bySortOrder } from '../common/order.ts'
import { projectList } from '../common/projects.ts'
import { isUnsaved } from '../common/record-writes.ts'
import { failed } from '../common/toasts.ts'
import { LeftTexts } from '../common/ui/left-texts.tsx'
import { Failed, Loading, Page } from '../common/ui/page.tsx'
import { useUnsent } from '../common/use-unsent.ts'
import { texts } from '../texts.ts'
import { useDragging } from './idea-drag.ts'
import { ideaGroups } from './idea-groups.ts'
import { IdeaRow } from './idea-row.tsx'
import { ideaList } from './idea-store.ts'
import { addIdea } from './idea-writes.ts'

const DRAFT = 'personal-idea:new'
const NONE: readonly PersonalIdea[] = []

/** The field for a new idea. It stays open for the next one. */
function AddIdea({ last }: { last: PersonalIdea | undefined }) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(() => drafts.read(DRAFT)?.text ?? '')
  const unsent = useUnsent(DRAFT)
  const change = (next: string) => {
    setText(next)
    if (next === '') drafts.remove(DRAFT)
    else drafts.keep(DRAFT, { text: next, from: '' })
  }
  const add = async (title: string) => {
    try {
      await addIdea(title, last)
    } catch (error) {
      // A refused text goes back into the field, unless the user has left it or started the next one.
      if (field.current?.value === '') change(title)
      else unsent.leave(title)
      failed(error)
    }
  }
  const submit = () => {
    const title = text.trim()
    if (title === '') return
    change('')
    field.current?.focus()
    void add(title)
  }
  return (
    <>
      <LeftTexts unsent={unsent} add={(title) => void add(title)} />
      <form
        class="row idea-add"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <input
          ref={field}
          aria-label={texts.ideaList.add}
          placeholder={texts.ideaList.add}
          dir="auto"
          maxLength={500}
          autocomplete="off"
          value={text}
          onInput={(event) => change(event.currentTarget.value)}
        />
        <button type="submit" class="button-primary">
          {texts.add}
        </button>
      </form>
    </>
  )
}

interface ListedProps {
  title: string
  ideas: readonly PersonalIdea[]
  isOrdered?: boolean
}

function Listed({ title, ideas, isOrdered = false }: ListedProps) {
  if (ideas.length === 0) return null
  const saved = ideas.filter(({ id }) => !isUnsaved(id))
  return (
    <section class="idea-group">
      <h2 class={isOrdered ? 'visually-hidden' : undefined}>{title}</h2>
      <ul class="ideas" aria-label={title}>
        {ideas.map((idea) => (
          <IdeaRow key={idea.id} idea={idea} ordered={isOrdered && !isUnsaved(idea.id) ? saved : NONE} />
        ))}
      </ul>
    </section>
  )
}

function Ideas() {
  useDragging()
  const { open, promoted, discarded } = ideaGroups(ideaList.records.list(bySortOrder))
  return (
    <>
      <AddIdea last={open.at(-1)} />
      {open.length === 0 && <p class="notice">{texts.ideaList.none}</p>}
      <Listed title={texts.ideaList.open} ideas={open} isOrdered />
      <Listed title={texts.ideaList.promoted} ideas={promoted} />
      <Listed title={texts.ideaList.discarded} ideas={discarded} />
    </>
  )
}

export default function IdeasPage() {
  useLiveList(ideaList)
  useLiveList(projectList)
  const state = ideaList.state.value
  return (
    <Page title={texts.ideas} class="ideas-page" aside={<p class="meta">{texts.ideaList.hint}</p>}>
      {state.step === 'loading' && <Loading />}
      {state.step === 'failed' && <Failed error={state.error} retry={() => ideaList.refresh()} />}
      {state.step === 'ready' && <Ideas />}
    </Page>
  )
}
