/** Chooses the role of a person, and shows its rights. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Choice, Field } from '../common/ui/field.tsx'
import { texts } from '../texts.ts'
import { choiceOf, OTHER, ROLES, roleName, roleSays } from './roles.ts'

const words = texts.overview

/** @param value the role at first */
export function RoleField({ value }: { value: string }) {
  const element = useRef<HTMLDivElement>(null)
  const [chosen, setChosen] = useState(choiceOf(value))
  const read = () => setChosen(element.current?.querySelector('select')?.value ?? choiceOf(value))
  useEffect(read, [])
  return (
    <div ref={element} class="stack" onChange={read}>
      <Choice
        name="role"
        label={texts.fields.role}
        value={chosen}
        options={[...ROLES.map((role) => [role, roleName(role)] as const), [OTHER, words.otherRole]]}
      />
      {chosen === OTHER && (
        <Field
          name="otherRole"
          label={words.otherRoleName}
          hint={words.otherRoleHint}
          value={choiceOf(value) === OTHER ? value : ''}
          required
          maxLength={100}
        />
      )}
      <p class="meta" role="status">
        {roleSays(chosen)}
      </p>
    </div>
  )
}
