/** The share links of a project: make one, and revoke those that are there. */
import { useEffect, useState } from 'preact/hooks'
import { api, root, type ShareLink } from '../common/api.ts'
import { fullDay } from '../common/dates.ts'
import { read } from '../common/session.ts'
import { failed, toast } from '../common/toasts.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { Field, Form } from '../common/ui/field.tsx'
import { SecretDialog } from '../common/ui/secret.tsx'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import { Section } from './section.tsx'

const words = texts.shareLinks

/** The name of a link in the list. */
const nameOf = ({ name, createdAt }: ShareLink): string => name || words.unnamed(fullDay(createdAt))

async function revoke({ id }: ShareLink): Promise<void> {
  await write({
    send: (idempotencyKey) =>
      api.request('delete', '/api/share-links/{id}', { path: { id }, idempotencyKey }),
  })
  toast(words.revoked)
}

export function ShareLinks({ id }: { id: string }) {
  const [links, setLinks] = useState<readonly ShareLink[] | undefined>()
  const [isMaking, setMaking] = useState(false)
  const [secret, setSecret] = useState<string | undefined>()
  const load = async () => {
    try {
      setLinks(await read(() => api.get('/api/projects/{id}/share-links', { path: { id } })))
    } catch {
      // They are turned off, or not for this user.
      setLinks(undefined)
    }
  }
  useEffect(() => void load(), [id])
  if (links === undefined) return null
  return (
    <Section
      title={words.title}
      aside={
        <button type="button" class="button" onClick={() => setMaking(true)}>
          {words.make}
        </button>
      }
    >
      {links.length === 0 && <p class="muted">{words.none}</p>}
      {links.length > 0 && (
        <ul class="lines">
          {links.map((link) => (
            <LinkRow
              key={link.id}
              link={link}
              onRevoke={async () => {
                await revoke(link)
                await load()
              }}
            />
          ))}
        </ul>
      )}
      {isMaking && (
        <MakeDialog
          id={id}
          onClose={() => setMaking(false)}
          onMade={(made) => {
            setMaking(false)
            setSecret(made)
            void load()
          }}
        />
      )}
      {secret !== undefined && (
        <SecretDialog
          title={words.title}
          label={words.link}
          secret={`${location.origin}${root}shared/${secret}`}
          onClose={() => setSecret(undefined)}
        />
      )}
    </Section>
  )
}

function LinkRow({ link, onRevoke }: { link: ShareLink; onRevoke: () => Promise<void> }) {
  const [isBusy, setBusy] = useState(false)
  const run = () => {
    setBusy(true)
    onRevoke()
      .catch(failed)
      .finally(() => setBusy(false))
  }
  return (
    <li class="spread">
      <span>
        <bdi>{nameOf(link)}</bdi>{' '}
        {link.expiresAt !== null && <span class="meta">{words.until(fullDay(link.expiresAt))}</span>}
      </span>
      <button
        type="button"
        class="button"
        aria-label={words.revokeOf(nameOf(link))}
        aria-disabled={isBusy || undefined}
        onClick={run}
      >
        {words.revoke}
      </button>
    </li>
  )
}

interface MakeProps {
  id: string
  onMade: (secret: string) => void
  onClose: () => void
}

function MakeDialog({ id, onMade, onClose }: MakeProps) {
  const send = async (fields: FormData) => {
    const body = {
      name: String(fields.get('name')).trim(),
      expiresAt: String(fields.get('expiresAt')) || null,
    }
    const { data } = await write({
      send: (idempotencyKey) =>
        api.request('post', '/api/projects/{id}/share-links', { path: { id }, body, idempotencyKey }),
    })
    onMade(data.secret)
  }
  return (
    <Dialog title={words.make} onClose={onClose} closesOutside={false}>
      <Form send={send} submit={words.makeIt} onCancel={onClose}>
        <p>{words.makeText}</p>
        <Field name="name" label={words.name} maxLength={200} autofocus />
        <Field name="expiresAt" label={words.expires} type="date" />
      </Form>
    </Dialog>
  )
}
