/** Signing in; afterwards the page that was asked for. */
import { useEffect } from 'preact/hooks'
import { go, isOwnPath, place, routeOf } from '../router.ts'
import { Page } from '../shared/ui/page.tsx'
import { texts } from '../texts.ts'
import { SignInForm } from './sign-in-form.tsx'

export default function SignInPage() {
  const { path, query } = place.value
  const isHere = routeOf(path).page === 'sign-in'
  useEffect(() => {
    if (isHere) return
    const text = query.toString()
    go(`/sign-in?${new URLSearchParams({ to: path + (text ? `?${text}` : '') })}`, { replace: true })
  })
  const to = query.get('to') ?? '/'
  return (
    <Page title={texts.signIn.title} class="sign-in">
      <div class="panel">
        <SignInForm onDone={() => go(isOwnPath(to) ? to : '/', { replace: true })} />
      </div>
    </Page>
  )
}
