/** The share links of a project, for those who may change it. */
import { useState } from 'preact/hooks'
import { makerFirst } from '../common/actors.ts'
import type { NewShareLink, ShareLink, UpdateProject } from '../common/api.ts'
import { atMoment, today } from '../common/dates.ts'
import type { ProjectFields, ProjectStore } from '../common/project-store.ts'
import { isAdmin } from '../common/session.ts'
import { failed, toast } from '../common/toasts.ts'
import { DateField } from '../common/ui/date-field.tsx'
import { Field } from '../common/ui/field.tsx'
import { FormDialog } from '../common/ui/form-dialog.tsx'
import { Icon } from '../common/ui/icon.tsx'
import { useReading, WhenRead } from '../common/ui/reading.tsx'
import { NewSecret } from '../common/ui/secret.tsx'
import { texts } from '../texts.ts'
import { chooseProject } from './project-writes.ts'
import { ProjectChoice, Section } from './section.tsx'
import { makeShareLink, readShareLinks, revokeShareLink, shareLinkOf } from './share-links.ts'

const words = texts.overview

type Sharers = NonNullable<UpdateProject['shareLinks']>

const nameOf = ({ name }: ShareLink) => name || words.unnamedLink

function termOf({ createdAt, expiresAt }: ShareLink): string {
  if (expiresAt === null) return words.sharedSince(atMoment(createdAt), undefined)
  const isOver = Date.parse(expiresAt) < Date.now()
  return (isOver ? words.shareEnded : words.sharedSince)(atMoment(createdAt), atMoment(expiresAt))
}

function LinkRow({ link, onRevoked }: { link: ShareLink; onRevoked: () => Promise<void> }) {
  const [isBusy, setBusy] = useState(false)
  const revoke = async () => {
    setBusy(true)
    try {
      await revokeShareLink(link.id)
      await onRevoked()
      toast(words.shareRevoked)
    } catch (error) {
      failed(error)
      setBusy(false)
    }
  }
  return (
    <li class="spread">
      <div>
        <span dir="auto">{nameOf(link)}</span>
        <p class="meta" dir="auto">
          {termOf(link)} · {makerFirst({ actorId: link.createdBy, actor: 'command line' })}
        </p>
      </div>
      <button
        type="button"
        class="button"
        aria-label={texts.people.revokeOf(nameOf(link))}
        disabled={isBusy}
        onClick={() => void revoke()}
      >
        {texts.people.revoke}
      </button>
    </li>
  )
}

interface NewLinkProps {
  projectId: string
  onMade: (link: NewShareLink) => void
  onClose: () => void
}

const NewLinkDialog = ({ projectId, onMade, onClose }: NewLinkProps) => (
  <FormDialog
    title={words.addShareLink}
    onClose={onClose}
    send={async (fields) => onMade(await makeShareLink(projectId, shareLinkOf(fields)))}
    submit={words.makeShareLink}
  >
    <p>{words.shareHint}</p>
    <Field name="name" label={words.shareName} hint={words.shareNameHint} maxLength={200} autofocus />
    <DateField name="expiresAt" label={texts.people.expires} hint={texts.people.expiresHint} min={today()} />
  </FormDialog>
)

/** Renders nothing if the service has share links turned off. */
export function ShareLinks({ store, project }: { store: ProjectStore; project: ProjectFields }) {
  const { id, shareLinks: sharers } = project
  const reading = useReading(() => readShareLinks(id))
  if (reading.data === undefined && reading.error === undefined) return null
  const mayShare = isAdmin.value || sharers === 'members'
  return (
    <Section
      title={words.shareLinks}
      aside={
        mayShare &&
        sharers !== 'off' && (
          <NewSecret
            form={(props) => <NewLinkDialog projectId={id} {...props} />}
            secretOf={(link: NewShareLink) => ({
              title: words.shareMade(nameOf(link)),
              label: words.shareAddress,
              secret: link.url,
              note: words.shareHint,
            })}
            onMade={() => void reading.reload()}
          >
            <Icon name="add" /> {words.addShareLink}
          </NewSecret>
        )
      }
    >
      <ProjectChoice
        label={words.sharers}
        value={sharers}
        options={Object.entries(words.sharersNamed)}
        canEdit={mayShare}
        onChoose={(value) =>
          chooseProject(store, { shareLinks: value as Sharers }, words.saved(words.sharers))
        }
      />
      <p class="meta">{words.shareHint}</p>
      <WhenRead of={reading}>
        {(links) =>
          links !== undefined &&
          links.length > 0 && (
            <ul class="lines" aria-label={words.shareLinks}>
              {links.map((link) => (
                <LinkRow key={link.id} link={link} onRevoked={reading.reload} />
              ))}
            </ul>
          )
        }
      </WhenRead>
    </Section>
  )
}
