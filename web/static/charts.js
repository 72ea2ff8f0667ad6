// Charts: the specs that findings carry, drawn with Vega-Lite in the colours of the page.

let library = null;

function load() {
  library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "/assets/charts/vega.js";
    script.type = "module";
    script.onload = () => resolve(window.vegaEmbed);
    script.onerror = () => reject(new Error("the chart library cannot be loaded"));
    document.head.append(script);
  });
  return library;
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function themed(spec) {
  const drawn = structuredClone(spec);
  if (typeof drawn.width === "number") {
    drawn.width = "container";
    drawn.autosize = { type: "fit-x", contains: "padding" };
  }
  const soft = colour("--soft");
  const line = colour("--line");
  drawn.background = null;
  if (drawn.title?.text) {
    // The card around the chart has the title already.
    drawn.title = drawn.title.subtitle ? { ...drawn.title, text: drawn.title.subtitle, subtitle: undefined, fontWeight: "normal", fontSize: 12, color: soft } : undefined;
  }
  drawn.config = {
    ...drawn.config,
    font: getComputedStyle(document.body).fontFamily,
    view: { ...drawn.config?.view, stroke: null },
    axis: { ...drawn.config?.axis, gridColor: line, domainColor: line, tickColor: line, labelColor: soft, titleColor: soft, titleFontWeight: 500 },
    legend: { ...drawn.config?.legend, labelColor: soft, titleColor: soft },
    title: { ...drawn.config?.title, color: colour("--ink"), subtitleColor: soft },
  };
  return drawn;
}

export const titleOf = (spec) => {
  const text = typeof spec?.title === "string" ? spec.title : spec?.title?.text;
  return Array.isArray(text) ? text.join(" ") : text; // a long title comes in lines
};

/** Draw a spec into a box; expressions are interpreted, so that no text is ever compiled to code. */
export async function draw(box, spec) {
  try {
    const embed = await load();
    await embed(box, themed(spec), {
      actions: false, renderer: "svg", ast: true, defaultStyle: false, tooltip: { disableDefaultStyle: true, theme: "page" },
    });
  } catch (error) {
    box.textContent = `The chart could not be drawn: ${error.message}`;
  }
}
