// Returns what is wrong with the text that is seen: too small, outside of the screen, or one over another.
(() => {
  const unit = innerHeight / 100;
  const wrong = [];
  const seen = [];
  const look = (page, isFrame) => {
    const texts = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      const element = text.parentElement;
      if (!text.textContent.trim() || !element.checkVisibility({ opacityProperty: true })) continue;
      const range = page.createRange();
      range.selectNodeContents(text);
      const box = range.getBoundingClientRect();
      if (!box.width || !box.height) continue;
      const size = Number.parseFloat(getComputedStyle(element).fontSize) / unit;
      const words = text.textContent.slice(0, 40);
      const large = element.closest(".name, .score");
      if (size < (large ? 7 : 2.5)) wrong.push(`${size.toFixed(2)} %: ${words}`);
      if (isFrame) continue;
      if (box.left < -1 || box.right > innerWidth + 1 || box.top < -1 || box.bottom > innerHeight + 1)
        wrong.push(`outside: ${words}`);
      if (large && !element.closest(".ended")) seen.push([large, box, words]);
    }
  };
  look(document, false);
  for (const { contentDocument, offsetWidth } of document.querySelectorAll("iframe"))
    if (contentDocument?.body && offsetWidth > 99) look(contentDocument, true);
  for (const [at, [one, box, words]] of seen.entries())
    for (const [other, there, others] of seen.slice(at + 1)) {
      const across = Math.min(box.right, there.right) - Math.max(box.left, there.left);
      const down = Math.min(box.bottom, there.bottom) - Math.max(box.top, there.top);
      if (one !== other && across > 2 && down > box.height / 3) wrong.push(`${words} over ${others}`);
    }
  return wrong;
})();
