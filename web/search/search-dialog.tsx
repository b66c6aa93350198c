/** The search dialog, opened by `/`. It searches while the user types; arrow keys and Enter choose a result (the combobox pattern). */
import { useEffect, useId, useState } from 'preact/hooks'
import type { SearchResult } from '../common/api.ts'
import { takeTypedAhead } from '../common/keys.ts'
import { useLiveList } from '../common/live-list.ts'
import { projectList } from '../common/projects.ts'
import { shownTitle } from '../common/titles.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { Lock } from '../common/ui/lock.tsx'
import { go } from '../router.ts'
import { texts } from '../texts.ts'
import { exactPathOf, useSearch } from './find.ts'
import { kindOf, projectOf, Snippet } from './result.tsx'
import { nextOption } from './results.ts'

/** The maximum number of shown results. */
const MOST = 12

interface OptionProps {
  id: string
  /** The query of the result. */
  q: string | undefined
  result: SearchResult
  isActive: boolean
  onChoose: () => void
}

function Option({ id, q, result, isActive, onChoose }: OptionProps) {
  useEffect(() => {
    if (isActive) document.getElementById(id)?.scrollIntoView({ block: 'nearest' })
  }, [id, isActive])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard chooses it from the field.
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      aria-describedby={`${id}-kind`}
      class="result"
      onClick={onChoose}
    >
      <span class="result-title" dir="auto">
        {shownTitle(result.title)}
      </span>
      <span id={`${id}-kind`} class="meta" dir="auto" aria-hidden="true">
        {kindOf(result)} <Lock of={projectOf(result)} />
      </span>
      <span class="result-text" aria-hidden="true">
        <Snippet text={result.snippet} q={q} />
      </span>
    </div>
  )
}

export default function SearchDialog({ onClose }: { onClose: () => void }) {
  const id = useId()
  const [q, setQ] = useState(takeTypedAhead)
  const [active, setActive] = useState(-1)
  useLiveList(projectList)
  const { q: answered, results, error } = useSearch({ q, limit: MOST })
  const optionId = (index: number) => `${id}-${index}`
  // New results have no active option.
  useEffect(() => setActive(-1), [results])

  const leave = (path: string) => {
    onClose()
    go(path)
  }
  const choose = (result: SearchResult) => void exactPathOf(result).then(leave)
  const enter = () => {
    const chosen = results[active]
    if (chosen) choose(chosen)
    else if (q.trim() !== '') leave(`/search?${new URLSearchParams({ q: q.trim() })}`)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setActive(nextOption(active, 1, results.length))
    else if (event.key === 'ArrowUp') setActive(nextOption(active, -1, results.length))
    else if (event.key === 'Enter') enter()
    else return
    event.preventDefault()
  }
  const isOpen = results.length > 0

  return (
    <Dialog title={texts.search} onClose={onClose}>
      <div class="stack">
        <input
          type="text"
          role="combobox"
          aria-label={texts.search}
          aria-expanded={isOpen}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active >= 0 ? optionId(active) : undefined}
          aria-describedby={`${id}-hint`}
          autocomplete="off"
          enterkeyhint="search"
          maxLength={500}
          dir="auto"
          autofocus
          value={q}
          onInput={(event) => setQ(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <p id={`${id}-hint`} class="meta" role="status">
          {error !== undefined
            ? texts.find.failed(error)
            : answered === undefined
              ? texts.find.hint
              : `${texts.find.results(results.length)} ${isOpen ? texts.find.all : ''}`}
        </p>
        <div id={`${id}-list`} role="listbox" aria-label={texts.search} class="results" hidden={!isOpen}>
          {results.map((result, index) => (
            <Option
              key={`${result.kind} ${result.id}`}
              id={optionId(index)}
              q={answered}
              result={result}
              isActive={index === active}
              onChoose={() => choose(result)}
            />
          ))}
        </div>
      </div>
    </Dialog>
  )
}
