/** The share links of a project: make one, and revoke those that are there. */
import { useEffect, useState } from 'preact/hooks'
import { fullDay } from '../common/dates.ts'
import { failed, toast } from '../common/toasts.ts'
import { Field } from '../common/ui/field.tsx'
import { FormDialog } from '../common/ui/form-dialog.tsx'
import { SecretDialog } from '../common/ui/secret.tsx'
import { texts } from '../texts.ts'
import { Section } from './section.tsx'
import {
  makeShareLink,
  type NewShareLink,
  readShareLinks,
  revokeShareLink,
  type ShareLink,
  shareAddress,
  shareLinkOf,
} from './share-links.ts'

const words = texts.shareLinks

/** The name of a link in the list. */
const nameOf = ({ name, createdAt }: ShareLink): string => name || words.unnamed(fullDay(createdAt))

export function ShareLinks({ id }: { id: string }) {
  const [links, setLinks] = useState<readonly ShareLink[] | undefined>()
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<NewShareLink | undefined>()
  const load = async () => {
    try {
      setLinks(await readShareLinks(id))
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
        <ul class="lines" aria-label={words.title}>
          {links.map((link) => (
            <LinkRow
              key={link.id}
              link={link}
              onRevoke={async () => {
                await revokeShareLink(link.id)
                toast(words.revoked)
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
          onMade={(link) => {
            setMaking(false)
            setMade(link)
            void load()
          }}
        />
      )}
      {made && (
        <SecretDialog
          title={words.title}
          label={words.link}
          secret={shareAddress(made)}
          note={words.makeText}
          onClose={() => setMade(undefined)}
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
  onMade: (link: NewShareLink) => void
  onClose: () => void
}

const MakeDialog = ({ id, onMade, onClose }: MakeProps) => (
  <FormDialog
    title={words.make}
    onClose={onClose}
    send={async (fields) => onMade(await makeShareLink(id, shareLinkOf(fields)))}
    submit={words.makeIt}
  >
    <p>{words.makeText}</p>
    <Field name="name" label={words.name} maxLength={200} autofocus />
    <Field name="expiresAt" label={words.expires} type="date" hint={texts.people.expiresHint} />
  </FormDialog>
)
