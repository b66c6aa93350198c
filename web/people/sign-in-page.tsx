/** The sign-in page. Afterwards it opens the requested page. */
import { useEffect } from 'preact/hooks'
import { identity } from '../common/session.ts'
import { Page } from '../common/ui/page.tsx'
import { go, href, isOwnPath, place, routeOf } from '../router.ts'
import { texts } from '../texts.ts'
import { SignInForm } from './sign-in-form.tsx'

/** The page to open afterwards. The address may contain anything, so only paths of this page are followed. */
function destination(to: string): string {
  const isPage = isOwnPath(to) && !['sign-in', 'link'].includes(routeOf(to.replace(/[?#].*/, '')).page ?? '')
  return isPage ? to : '/'
}

export default function SignInPage() {
  const { path, query } = place.value
  const isHere = routeOf(path).page === 'sign-in'
  const to = destination(query.get('to') ?? '/')
  const via = identity.value?.via
  const isIn = via !== undefined && via !== 'default'
  useEffect(() => {
    const text = query.toString()
    const asked = path + (text ? `?${text}` : '')
    if (!isHere) go(`/sign-in?${new URLSearchParams({ to: asked })}`, { replace: true })
    else if (isIn) go(to, { replace: true })
  })
  return (
    <Page title={texts.signIn.title} class="sign-in">
      <div class="panel stack">
        <SignInForm to={to} onDone={() => go(to, { replace: true })} />
        {via === 'default' && <a href={href(to)}>{texts.signIn.asGuest}</a>}
      </div>
    </Page>
  )
}
