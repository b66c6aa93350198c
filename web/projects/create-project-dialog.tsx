/** Creates a project. Its type selects its phases. */

import { useEffect, useRef, useState } from 'preact/hooks'
import { sending } from '../common/api.ts'
import { drafts } from '../common/drafts.ts'
import { textIn } from '../common/forms.ts'
import { between, bySortOrder } from '../common/order.ts'
import { nobodyOrMe } from '../common/people.ts'
import { newPhases } from '../common/phases.ts'
import { projectList } from '../common/projects.ts'
import { isAdmin } from '../common/session.ts'
import { teams } from '../common/teams.ts'
import { termName } from '../common/terms.ts'
import { done } from '../common/toasts.ts'
import { Area, Choice, Field } from '../common/ui/field.tsx'
import { FormDialog } from '../common/ui/form-dialog.tsx'
import { PersonField } from '../common/ui/person-field.tsx'
import { write } from '../common/writes.ts'
import { go, paths } from '../router.ts'
import { texts } from '../texts.ts'
import { TYPES } from './project-groups.ts'

const list = texts.projectList

async function create(fields: FormData): Promise<string> {
  const body = {
    name: textIn(fields, 'name').trim(),
    description: textIn(fields, 'description'),
    type: textIn(fields, 'type'),
    status: 'active',
    leadId: textIn(fields, 'leadId') || null,
    teamId: textIn(fields, 'teamId') || null,
    // At the end. Projects with equal numbers could not be moved one by one.
    sortOrder: between(projectList.records.list(bySortOrder).at(-1)?.sortOrder, undefined),
    access: textIn(fields, 'access') === 'assigned' ? ('assigned' as const) : ('everyone' as const),
  }
  const answer = await write(sending('post', '/api/projects', { body }))
  // Only an admin may undo this, because it deletes the project.
  if (isAdmin.value) done(answer.seq)
  return answer.data.id
}

/** The select of the type, and a preview of its phases. */
function TypeChoice() {
  const element = useRef<HTMLDivElement>(null)
  const [type, setType] = useState<string>(TYPES[0])
  const read = () => setType(element.current?.querySelector('select')?.value ?? TYPES[0])
  // A draft may have selected another type than the first.
  useEffect(read, [])
  return (
    <div ref={element} class="field" onChange={read}>
      <Choice
        name="type"
        label={texts.fields.type}
        value={TYPES[0]}
        options={TYPES.map((one) => [one, termName('type', one)])}
      />
      <p class="meta" role="status">
        {list.phases(newPhases(type).join(' → '))}
      </p>
    </div>
  )
}

const DRAFT = 'project:new'

export default function CreateProjectDialog({ onClose }: { onClose: () => void }) {
  // What was typed before must be seen.
  const [hasDraft] = useState(() => drafts.read(DRAFT) !== undefined)
  const send = async (fields: FormData) => {
    const id = await create(fields)
    onClose()
    go(paths.board(id))
  }
  return (
    <FormDialog title={list.create} onClose={onClose} send={send} submit={list.create} draft={DRAFT}>
      <Field name="name" label={texts.fields.name} required autofocus autocomplete="off" maxLength={200} />
      <details class="stack" open={hasDraft}>
        <summary>{texts.more}</summary>
        <TypeChoice />
        <Area name="description" label={texts.fields.description} />
        <PersonField name="leadId" label={texts.fields.lead} value="" others={nobodyOrMe()} />
        <Choice
          name="teamId"
          label={texts.fields.team}
          options={[['', texts.noTeam], ...teams.value.map(({ id, name }) => [id, name] as const)]}
        />
        <Choice
          name="access"
          label={texts.overview.whoSees}
          hint={list.accessHint}
          value="everyone"
          options={Object.entries(texts.overview.accesses)}
        />
      </details>
    </FormDialog>
  )
}
