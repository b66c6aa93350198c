/** The colours of the page, and its language. Both are kept in this browser. */
import { chooseTheme, THEMES, themeNow } from '../common/theme.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { texts } from '../texts.ts'

const words = texts.appearance

export default function AppearanceDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={words.title} onClose={onClose}>
      <fieldset class="field">
        <legend>{words.theme}</legend>
        <div class="stack">
          {THEMES.map((theme) => (
            <label key={theme} class="row">
              <input
                type="radio"
                name="theme"
                checked={themeNow() === theme}
                onChange={() => chooseTheme(theme)}
              />
              {words.themes[theme]}
            </label>
          ))}
        </div>
      </fieldset>
    </Dialog>
  )
}
