/** The people that an imported board names. An admin assigns the unknown ones to people here. */
import { useState } from 'preact/hooks'
import type { ImportedPerson } from '../common/api.ts'
import { mergePerson } from '../common/merge-person.ts'
import { personName, personOf } from '../common/people.ts'
import { isAdmin } from '../common/session.ts'
import { failed, undo } from '../common/toasts.ts'
import { PersonPicker } from '../common/ui/person-picker.tsx'
import { imports } from '../later-import-texts.ts'
import { texts } from '../texts.ts'

const words = imports

/** A person who was not found. The name stays until an admin says who it is. */
function Unknown({ person: { id, name } }: { person: ImportedPerson }) {
  /** The merge that was done here, for undo. */
  const [merge, setMerge] = useState<number | null>(null)
  const mergedInto = personOf(id)?.mergedInto
  if (mergedInto) {
    return (
      <>
        <span dir="auto">{words.isNow(personName(mergedInto))}</span>
        {merge !== null && (
          <button
            type="button"
            class="button-link"
            aria-label={words.undoMerge(name)}
            onClick={() => void undo(merge)}
          >
            {texts.undo}
          </button>
        )}
      </>
    )
  }
  if (!isAdmin.value) return <span>{words.stays}</span>
  return (
    <PersonPicker
      class="import-person"
      label={words.whoIs(name)}
      isLabelHidden
      value=""
      others={[['', words.stays]]}
      except={[id]}
      onChoose={(into) => void mergePerson(id, into).then(setMerge, failed)}
    />
  )
}

export function ImportedPeople({ people, total }: { people: readonly ImportedPerson[]; total: number }) {
  if (people.length === 0) return null
  const others = people.filter(({ memberId }) => memberId === null).length
  return (
    <section class="stack" aria-label={words.people}>
      <h3>{words.people}</h3>
      <p class="meta">{words.found(people.length - others, others)}</p>
      <ul class="lines import-people" aria-label={words.people}>
        {people.map((person) => {
          const { id, name, matched, memberId, items, comments, attachments } = person
          return (
            <li key={id}>
              <span>
                <bdi>{name}</bdi> <span class="meta">{words.has(items, comments, attachments)}</span>
              </span>
              {memberId === null ? (
                <Unknown person={person} />
              ) : (
                <span>
                  <bdi>{words.isNow(personName(memberId))}</bdi>{' '}
                  <span class="meta">{matched && words.matched[matched]}</span>
                </span>
              )}
            </li>
          )
        })}
      </ul>
      {total > people.length && <p class="meta">{words.morePeople(total - people.length)}</p>}
    </section>
  )
}
