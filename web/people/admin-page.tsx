/** A page for admins. Other users see a message instead. */
import type { ComponentChildren } from 'preact'
import { identity, isAdmin } from '../common/session.ts'
import { Page } from '../common/ui/page.tsx'
import { href } from '../router.ts'
import { texts } from '../texts.ts'

interface Props {
  title: string
  /** Beside the heading, e.g. the button that adds something. */
  aside?: ComponentChildren
  /** Rendered only for admins, because its content sends requests. */
  children: () => ComponentChildren
}

export function AdminPage({ title, aside, children }: Props) {
  return (
    <Page title={title} class="people" aside={isAdmin.value && aside}>
      {isAdmin.value ? children() : <ForAdmins />}
    </Page>
  )
}

const ForAdmins = () => (
  <div class="notice" role="note">
    <p>{texts.people.forAdmins}</p>
    {identity.value?.via === 'default' && (
      <a class="button" href={href(`/sign-in?${new URLSearchParams({ to: location.pathname })}`)}>
        {texts.signIn.submit}
      </a>
    )}
  </div>
)
