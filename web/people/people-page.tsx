/** People who are not members, for admins: those of the host application, and those of imported boards. */
import { useEffect, useId, useState } from 'preact/hooks'
import { api, type Person, sending } from '../common/api.ts'
import { fullDay } from '../common/dates.ts'
import { textIn } from '../common/forms.ts'
import { onChange } from '../common/live.ts'
import { mergePerson } from '../common/merge-person.ts'
import { LIMIT, usePages } from '../common/paging.ts'
import { sourceOf } from '../common/people-sources.ts'
import { toast } from '../common/toasts.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { Form } from '../common/ui/field.tsx'
import { Icon } from '../common/ui/icon.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { Failed, Loading } from '../common/ui/page.tsx'
import { PersonField } from '../common/ui/person-field.tsx'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import { AdminPage } from './admin-page.tsx'
import { Confirm } from './confirm.tsx'
import { Table } from './table.tsx'

const words = texts.people

/** The debounce of the search, and of a reload after a change, in milliseconds. */
const AFTER = 200

/** The open dialog, and its person. */
type Doing = { what: 'merge' | 'forget'; person: Person }

/** People who are not members, by name. @param q a part of the name */
async function* readOthers(q: string): AsyncGenerator<Person, void, undefined> {
  for (const kind of ['import', 'host'] as const) {
    yield* api.pages('/api/people', { query: { kind, q: q || undefined, limit: LIMIT } })
  }
}

async function forget({ id, name }: Person): Promise<void> {
  await write(sending('delete', '/api/people/{id}', { path: { id } }))
  toast(words.forgotten(name))
}

/** Counts the changes of people since the component was mounted. */
function useChangesOfPeople(): number {
  const [round, setRound] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = onChange(({ kind }) => {
      if (kind !== 'person') return
      clearTimeout(timer)
      timer = setTimeout(() => setRound((before) => before + 1), AFTER)
    })
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [])
  return round
}

function MergeDialog({ person: { id, name }, onClose }: { person: Person; onClose: () => void }) {
  const send = async (fields: FormData) => {
    const into = textIn(fields, 'into')
    if (into === '') throw new Error(words.choose)
    await mergePerson(id, into)
    onClose()
  }
  return (
    <Dialog title={words.mergeOf(name)} onClose={onClose}>
      <Form send={send} submit={words.merge} onCancel={onClose}>
        <p>{words.mergeText(name)}</p>
        <PersonField name="into" label={words.isWho} value="" except={[id]} autofocus />
      </Form>
    </Dialog>
  )
}

function Row({ person, onDo }: { person: Person; onDo: (doing: Doing) => void }) {
  const { name, seenAt } = person
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi>
      </th>
      <td>
        <bdi>{sourceOf(person) ?? words.ofHost}</bdi>
      </td>
      <td>{seenAt && <time dateTime={seenAt}>{fullDay(seenAt)}</time>}</td>
      <td>
        <Menu
          label={texts.actions(name)}
          items={[
            { label: words.mergeInto, run: () => onDo({ what: 'merge', person }) },
            { label: words.forget, run: () => onDo({ what: 'forget', person }), isDanger: true },
          ]}
        >
          <Icon name="more" />
        </Menu>
      </td>
    </tr>
  )
}

function Others() {
  const id = useId()
  const [typed, setTyped] = useState('')
  const [q, setQ] = useState('')
  const [doing, setDoing] = useState<Doing | undefined>()
  const round = useChangesOfPeople()
  const { records, state, readOn } = usePages(() => readOthers(q), `${round} ${q}`)
  useEffect(() => {
    const timer = setTimeout(() => setQ(typed.trim()), AFTER)
    return () => clearTimeout(timer)
  }, [typed])
  const close = () => setDoing(undefined)
  if (typeof state === 'object') return <Failed error={state.error} retry={() => void readOn()} />
  return (
    <div class="stack">
      <p>{words.othersHint}</p>
      <div class="field others-search">
        <label for={id}>{words.findByName}</label>
        <input
          id={id}
          type="search"
          dir="auto"
          autocomplete="off"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </div>
      {records.length > 0 && (
        <Table label={words.others} columns={words.otherColumns}>
          {records.map((person) => (
            <Row key={person.id} person={person} onDo={setDoing} />
          ))}
        </Table>
      )}
      {state === 'reading' && records.length === 0 && <Loading />}
      {state === 'end' && records.length === 0 && (
        <p class="notice">{q === '' ? words.noOthers : words.nobodyFound}</p>
      )}
      {state === 'more' && (
        <button type="button" class="button" onClick={() => void readOn()}>
          {texts.showMore}
        </button>
      )}
      {doing?.what === 'merge' && <MergeDialog person={doing.person} onClose={close} />}
      {doing?.what === 'forget' && (
        <Confirm
          title={words.forgetOf(doing.person.name)}
          action={words.forgetNow}
          run={() => forget(doing.person)}
          onClose={close}
        >
          <p>{words.forgetText}</p>
        </Confirm>
      )}
    </div>
  )
}

export default function PeoplePage() {
  return <AdminPage title={words.others}>{() => <Others />}</AdminPage>
}
