"""What holds on every page in a browser: nothing without a name, nothing hard to read, nothing wider than the screen."""

from support import equal

# Roles of which each must say what it is.
NAMED = ("button", "link", "textbox", "heading", "checkbox", "image", "DisclosureTriangle")


def tree(devtools):
    """What a screen reader is told: role and name of every node that is not ignored."""
    nodes = devtools.send("Accessibility.getFullAXTree")["nodes"]
    return [
        (node["role"]["value"], (node.get("name") or {}).get("value", "").strip())
        for node in nodes if not node["ignored"] and "role" in node
    ]


def everything_has_a_name(devtools):
    """The tree, in which nothing is unnamed that people use."""
    found = tree(devtools)
    for role, name in found:
        if role in NAMED:
            equal(bool(name), True, f"a {role} without a name in {found}")
    return found


def can_be_read(page, large=4.5):
    """WCAG 2.2 AA, 1.4.3: the text of every visible element against what is painted behind it; `large` is the ratio
    that is asked of large text, 4.5 that of all other."""
    equal(page.evaluate(CONTRAST, large), [], "text that is hard to read")


def fits(page):
    width = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    equal(width[0] <= width[1], True, f"nothing is wider than the screen: {width}")


CONTRAST = """(large) => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (css) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = css; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255];
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      if (colour[3] === 1) return colour;
    }
    return [255, 255, 255, 1];
  };
  return [...document.querySelectorAll('body *')].flatMap((element) => {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !element.checkVisibility() || element.disabled) return [];
    const style = getComputedStyle(element), size = parseFloat(style.fontSize);
    const [one, two] = [light(rgba(style.color)), light(behind(element))].sort((a, b) => b - a);
    const ratio = (one + .05) / (two + .05);
    const needed = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? large : 4.5;
    return ratio < needed ? [`${element.tagName} "${element.textContent.trim().slice(0, 30)}": ${ratio.toFixed(2)}`] : [];
  });
}"""
