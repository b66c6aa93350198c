/** All results of a search, filtered by kind and project. The filter is kept in the address. */
import { useEffect, useId, useState } from 'preact/hooks'
import type { SearchResult } from '../common/api.ts'
import { useLiveList } from '../common/live-list.ts'
import { bySortOrder } from '../common/order.ts'
import { projectList } from '../common/projects.ts'
import { shownTitle } from '../common/titles.ts'
import { choiceName, Lock } from '../common/ui/lock.tsx'
import { Page } from '../common/ui/page.tsx'
import { type Options, Select } from '../common/ui/select.tsx'
import { go, href, place, setQuery } from '../router.ts'
import { texts } from '../texts.ts'
import { exactPathOf, pathOf, useSearch } from './find.ts'
import { kindOf, projectOf, Snippet } from './result.tsx'
import { KINDS } from './results.ts'

/** The maximum number of shown results. */
const MOST = 100

function Result({ result, q }: { result: SearchResult; q: string | undefined }) {
  const path = pathOf(result)
  return (
    <li class="result-row">
      <h2>
        <a
          href={href(path)}
          dir="auto"
          onClick={(event) => {
            const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
            if (result.kind !== 'kanban-comment' || !isPlain) return
            event.preventDefault()
            void exactPathOf(result).then((exact) => go(exact))
          }}
        >
          {shownTitle(result.title)}
        </a>{' '}
        <span class="meta" dir="auto">
          {kindOf(result)} <Lock of={projectOf(result)} />
        </span>
      </h2>
      <Snippet text={result.snippet} q={q} />
    </li>
  )
}

interface FilterProps {
  name: 'kind' | 'project'
  value: string
  all: string
  options: Options
}

const Filter = ({ name, value, all, options }: FilterProps) => (
  <Select
    label={texts.fields[name]}
    value={value}
    options={[['', all], ...options]}
    onChoose={(chosen) => setQuery({ [name]: chosen })}
  />
)

const summary = (results: readonly SearchResult[]) =>
  results.length === MOST ? texts.find.manyResults(MOST) : texts.find.results(results.length)

export default function SearchPage() {
  const id = useId()
  useLiveList(projectList)
  const { query } = place.value
  const inAddress = query.get('q') ?? ''
  const [q, setQ] = useState(inAddress)
  // The query was changed by the dialog or by the browser's back button.
  useEffect(() => setQ((now) => (now.trim() === inAddress ? now : inAddress)), [inAddress])
  const [kind, projectId] = [query.get('kind') ?? '', query.get('project') ?? '']
  const { q: answered, results, error } = useSearch({ q, kind, projectId, limit: MOST })
  const projects = projectList.records.list(bySortOrder).map((one) => [one.id, choiceName(one)] as const)
  return (
    <Page title={texts.search} class="search-page">
      <search class="search-fields">
        <div class="field">
          <label for={id}>{texts.search}</label>
          <input
            id={id}
            type="search"
            dir="auto"
            maxLength={500}
            autocomplete="off"
            value={q}
            onInput={(event) => {
              setQ(event.currentTarget.value)
              setQuery({ q: event.currentTarget.value.trim() })
            }}
          />
        </div>
        <Filter
          name="kind"
          value={kind}
          all={texts.find.allKinds}
          options={KINDS.map((kind) => [kind, texts.find.kinds[kind]])}
        />
        <Filter name="project" value={projectId} all={texts.allProjects} options={projects} />
      </search>
      <p class="meta" role="status">
        {error !== undefined
          ? texts.find.failed(error)
          : answered === undefined
            ? texts.find.hint
            : summary(results)}
      </p>
      {results.length > 0 && (
        <ul class="result-rows" aria-label={texts.search}>
          {results.map((result) => (
            <Result key={`${result.kind} ${result.id}`} result={result} q={answered} />
          ))}
        </ul>
      )}
    </Page>
  )
}
