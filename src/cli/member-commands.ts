/** The commands for members and tokens. They use the same rules as requests, and may run beside the service. */
import { type Static, Type } from '@sinclair/typebox'
import { type SharedDatabase, writeAs } from '../db/client.ts'
import { BY_COMMAND } from '../db/current-write.ts'
import { conflict, validationFailed } from '../errors.ts'
import { COMMAND_LINE } from '../members/audit-log.ts'
import { prepareInitialPasswordRemoval } from '../members/initial-password.ts'
import { type MemberInput, type MemberRow, Members } from '../members/members.ts'
import { hashPassword } from '../members/passwords.ts'
import { createValidatorCompiler } from '../requests/validation.ts'
import { flattenErrors } from '../requests/violations.ts'
import { Email, Name, Nullable, Password } from '../schemas/common.ts'
import { RoleSchema, TokenSchema } from '../schemas/records.ts'
import { askNewPassword } from './ask-password.ts'
import { alignColumns, refuseUnknown, say } from './terminal.ts'

/** Opens the database file for `work`, and closes it. */
export type WithDatabase = <T>(work: (db: SharedDatabase) => T | Promise<T>) => Promise<T>

const InputSchema = Type.Object({
  email: Email,
  name: Name,
  role: RoleSchema,
  password: Password,
  scope: TokenSchema.properties.scope,
  expiresAt: Nullable(Type.String({ format: 'timestamp' })),
})
type Input = Static<typeof InputSchema>

/** Validates arguments with the schemas of request bodies. @throws ApiError 400 with the violations */
function checked<Field extends keyof Input>(values: Record<Field, unknown>): Pick<Input, Field> {
  const compile = createValidatorCompiler()
  const validate = compile({ schema: Type.Partial(InputSchema), httpPart: 'body', method: '', url: '' })
  if (!validate(values)) throw validationFailed(flattenErrors(validate.errors ?? []))
  return values as Pick<Input, Field>
}

/** Runs a rule in a transaction of this process; a running service detects it like another tool's. */
export const write = <T>(db: SharedDatabase, work: () => T): T => writeAs(db, BY_COMMAND, work).value

const hashChecked = (password: string) => hashPassword(checked({ password }).password)

/** The member with this id or email. @throws Error */
const memberCalled = (members: Members, idOrEmail: string): MemberRow =>
  members.find(idOrEmail) ?? refuseUnknown('Member', idOrEmail)

/** Changes a member. @returns its email */
const change = (withDatabase: WithDatabase, idOrEmail: string, input: MemberInput) =>
  withDatabase((db) => {
    const members = new Members(db)
    return write(db, () => {
      const { id, email } = memberCalled(members, idOrEmail)
      members.update(id, input, COMMAND_LINE)
      return email
    })
  })

/** `member add`. Without a password, the member cannot sign in with one. */
export async function addMember(
  withDatabase: WithDatabase,
  emailGiven: string,
  options: { name?: string; role: string },
): Promise<void> {
  const { email, name, role } = checked({
    email: emailGiven,
    name: options.name ?? emailGiven.split('@', 1)[0],
    role: options.role,
  })
  await withDatabase(async (db) => {
    const password = await askNewPassword(`Password of ${email} (empty: none)`)
    const hash = password === '' ? null : await hashChecked(password)
    const members = new Members(db)
    const { id } = write(db, () => members.create({ email, name, role }, hash, COMMAND_LINE))
    say(`added ${email} as ${role}${hash === null ? ', without a password' : ''}: ${id}`)
  })
}

/** `member list`. */
export async function listMembers(withDatabase: WithDatabase): Promise<void> {
  const all = await withDatabase((db) => new Members(db).list())
  const rows = all.map(({ id, email, role, disabled, name }) => [
    id,
    email,
    role,
    disabled ? 'disabled' : 'enabled',
    name,
  ])
  for (const row of alignColumns(rows)) say(row)
}

/** `member set-role`. */
export async function setRole(withDatabase: WithDatabase, idOrEmail: string, given: string): Promise<void> {
  const { role } = checked({ role: given })
  say(`${await change(withDatabase, idOrEmail, { role })} has the role ${role}`)
}

/** `member disable`. */
export async function disableMember(withDatabase: WithDatabase, idOrEmail: string): Promise<void> {
  say(`${await change(withDatabase, idOrEmail, { disabled: true })} is disabled and signed out everywhere`)
}

/** `member enable`. */
export async function enableMember(withDatabase: WithDatabase, idOrEmail: string): Promise<void> {
  say(`${await change(withDatabase, idOrEmail, { disabled: false })} is enabled`)
}

/** `member reset-password`. */
export async function resetPassword(withDatabase: WithDatabase, idOrEmail: string): Promise<void> {
  await withDatabase(async (db) => {
    const members = new Members(db)
    const { id, email } = memberCalled(members, idOrEmail)
    const hash = await hashChecked(await askNewPassword(`New password of ${email}`))
    const removeInitial = await prepareInitialPasswordRemoval(db, members.stored(id).passwordHash)
    write(db, () => members.update(id, {}, COMMAND_LINE, { hash }))
    removeInitial()
    say(`${email} has a new password and is signed out everywhere`)
  })
}

/** `member password-link`: prints only the link, once. */
export async function createPasswordLink(
  withDatabase: WithDatabase,
  idOrEmail: string,
  base: string,
): Promise<void> {
  const url = await withDatabase((db) => {
    const members = new Members(db)
    return write(db, () => {
      const { id } = memberCalled(members, idOrEmail)
      return members.links.createForPassword(id, base, COMMAND_LINE).url
    })
  })
  say(url)
}

/** `member invite`: prints only the link, once. */
export async function inviteMember(
  withDatabase: WithDatabase,
  options: { name?: string; email?: string; role: string },
  base: string,
): Promise<void> {
  const input = checked(options as Pick<Input, 'name' | 'email' | 'role'>)
  const url = await withDatabase((db) => {
    const { links } = new Members(db)
    return write(db, () => links.invite(input, base, COMMAND_LINE).url)
  })
  say(url)
}

/** `token create`: prints only the token, once. */
export async function createToken(
  withDatabase: WithDatabase,
  idOrEmail: string,
  options: { name: string; scope: string; expires?: string },
): Promise<void> {
  const input = checked({ name: options.name, scope: options.scope, expiresAt: options.expires ?? null })
  const token = await withDatabase((db) => {
    const members = new Members(db)
    return write(db, () => {
      const { id, disabled } = memberCalled(members, idOrEmail)
      if (disabled) throw conflict('Member is disabled', 'member_disabled')
      return members.tokens.create(id, input, COMMAND_LINE).token
    })
  })
  say(token)
}
