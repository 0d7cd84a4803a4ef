package io.ntrail.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.export.Chromium.Dom;
import io.ntrail.cli.export.Chromium.Frame;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.cli.text.Version;
import io.ntrail.testkit.etl.SampleRecording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page of a flame graph in a browser without a network: what it draws, against the figures that
 * {@code profile} prints.
 */
class FlameGraphPageTest {
  private static final String MATCH = "shopcore.dll+0x12000";

  private static final String NOTES =
      """

      const shown = document.createElement('pre');
      shown.id = 'noted';
      shown.textContent = noted.join('\\n');
      document.body.append(shown);
      """;

  @TempDir private Path folder;
  private Path recording = Path.of("");
  private Path page = Path.of("");

  @BeforeEach
  void write() throws IOException {
    Chromium.assume();
    recording = Recordings.write(folder.resolve("shop.etl"), SampleRecording.make());
    page = folder.resolve("shop.html");
    assertEquals(0, Cli.run("export", recording, "-p", "shopd", "-o", page).exit());
  }

  private Dom open(String state) throws IOException, InterruptedException {
    return new Chromium(folder).open(page, state);
  }

  /** Keys and clicks of a person, in a copy of the page that lets them in. */
  private Dom after(String script) throws IOException, InterruptedException {
    String people =
        """
        <script>
        const push = (key, more) => document.dispatchEvent(
          new KeyboardEvent('keydown', Object.assign({key, bubbles: true}, more)));
        const frame = name => [...document.querySelectorAll('[data-frame]')]
          .find(each => each.title.startsWith(name + '\\n'));
        const text = id => document.getElementById(id).textContent.split('\\n')[0];
        const pixels = (name, what) => parseFloat(frame(name).style[what]);
        const noted = [];
        const note = seen => noted.push(seen);
        """;
    String open =
        Files.readString(page)
            .replaceFirst("<meta http-equiv[^>]*>", "")
            .replace("</body>", people + script + NOTES + "</script></body>");
    Path copy = Files.writeString(folder.resolve("copy.html"), open);
    return new Chromium(folder).open(copy, "");
  }

  /** Returns the notes of a script, one per line. */
  private List<String> noted(String script) throws IOException, InterruptedException {
    return after(script).text("noted").lines().toList();
  }

  private JsonReader profile(String... words) {
    List<Object> all = new ArrayList<>(List.of("profile", recording, "-p", "shopd"));
    all.addAll(List.of(words));
    all.addAll(List.of("--format", "json", "-n", "0"));
    return Cli.run(all.toArray()).json();
  }

  private static String percent(long part, long whole) {
    return String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
  }

  @Test
  void everyFrameIsAsWideAsItsShare() throws IOException, InterruptedException {
    List<Frame> frames = open("").frames();
    Map<String, Long> drawn = new TreeMap<>();
    for (Frame frame : frames) {
      assertEquals(Chromium.WIDTH * frame.weight() / 1_752, frame.width(), 0.01, frame.title());
      assertTrue(
          frame.title().contains(" samples, " + percent(frame.weight(), 1_752) + " of all"),
          frame.title());
      drawn.merge(frame.name() + " " + frame.weight(), 1L, Long::sum);
    }
    Map<String, Long> expected = new TreeMap<>(Map.of("all 1752", 1L));
    for (JsonReader node : profile("--tree").get("nodes").array()) {
      expected.merge(node.get("text").text() + " " + node.get("inclusive").number(), 1L, Long::sum);
    }
    assertEquals(expected, drawn);
  }

  @Test
  void framesLieBelowTheirCallersAndBesideEachOther() throws IOException, InterruptedException {
    List<Frame> frames = open("").frames();
    Map<Double, Double> ends = new HashMap<>();
    for (Frame frame : frames) {
      assertTrue(frame.left() >= ends.getOrDefault(frame.top(), 0.0) - 0.01, frame.title());
      ends.put(frame.top(), frame.left() + frame.width());
      if (frame.number() > 0) {
        assertTrue(
            frames.stream()
                .anyMatch(caller ->
                    caller.top() == frame.top() - 16
                        && caller.left() <= frame.left() + 0.01
                        && caller.left() + caller.width() >= frame.left() + frame.width() - 0.01),
            frame.title());
      }
    }
  }

  @Test
  void theHeadingIsThatOfProfile() throws IOException, InterruptedException {
    String html = open("").html();
    List<String> heading = Cli.run("profile", recording, "-p", "shopd").lines().subList(0, 2);
    for (String line : heading) {
      assertTrue(html.contains("<p>" + line + "</p>"), line);
    }
    assertTrue(heading.getFirst().contains("0 events and 0 buffers lost"));
    assertTrue(html.contains("<p>ntrail " + Version.NUMBER + "</p>"));
    assertTrue(html.contains("<title>shop.etl</title>"));
  }

  @Test
  void zoomedAFrameFillsTheWidth() throws IOException, InterruptedException {
    Frame match = open("").frame(MATCH);
    Dom zoomed = open("zoom=" + match.number());
    assertEquals(Chromium.WIDTH, zoomed.frame(MATCH).width(), 0.01);
    assertEquals(Chromium.WIDTH * 475 / 925, zoomed.frame("ucrtbase.dll+0x11e00").width(), 0.01);
    assertTrue(
        zoomed
            .frame("ucrtbase.dll+0x11e00")
            .title()
            .contains("475 samples, 27.1 % of all, " + percent(475, 925) + " of what is shown"));
    Frame caller = zoomed.frame("shopcore.dll+0x10100");
    assertEquals("above", caller.kinds());
    assertEquals(Chromium.WIDTH, caller.width(), 0.01);
    assertTrue(zoomed.frames().stream().noneMatch(f -> f.name().equals("shopcore.dll+0x1c200")));
    assertTrue(zoomed.text("status").startsWith(MATCH + "\n925 samples, "));
  }

  /** The share of the samples whose stacks have a frame that matches, each counted once. */
  private String share(String search) {
    Pattern pattern = Pattern.compile(search);
    long matched = 0;
    Cli.Result folded = Cli.run("profile", recording, "-p", "shopd", "--format", "collapsed");
    for (Map.Entry<String, Long> stack : FoldedText.of(folded.lines()).stacks().entrySet()) {
      boolean matches =
          List.of(stack.getKey().split(";", -1)).stream()
              .anyMatch(frame -> pattern.matcher(frame).find());
      matched += matches ? stack.getValue() : 0;
    }
    return "Matched: " + percent(matched, 1_752);
  }

  @Test
  void searchShowsTheShareOfMatchingStacks() throws IOException, InterruptedException {
    List<String> searches = List.of("shopcore", "^ntdll.*9f100$|ucrt", "no such thing", "1[12]");
    StringBuilder script = new StringBuilder();
    searches.forEach(search ->
        script.append("go({search: '").append(search).append("'}); note(text('matched'));\n"));
    script.append("go({search: '('}); note(text('matched'));");
    List<String> expected = new ArrayList<>(searches.stream().map(this::share).toList());
    expected.add("not a regular expression");
    assertEquals(expected, noted(script.toString()));
  }

  @Test
  void matchesAreMagenta() throws IOException, InterruptedException {
    Dom dom = open("search=1%5B12%5D");
    assertEquals(share("1[12]"), dom.text("matched"));
    for (Frame frame : dom.frames()) {
      boolean matches = frame.number() > 0 && frame.name().matches(".*1[12].*");
      assertEquals(matches, frame.background().equals("rgb(230, 0, 230)"), frame.title());
    }
  }

  @Test
  void searchInAZoomedFrameIsOfWhatIsShown() throws IOException, InterruptedException {
    Frame match = open("").frame(MATCH);
    Dom dom = open("search=ucrtbase&zoom=" + match.number());
    assertEquals("Matched: " + percent(475, 925), dom.text("matched"));
  }

  @Test
  void keysDoWhatTheirHelpDescribes() throws IOException, InterruptedException {
    assertEquals(
        List.of(
            "upside down: true",
            "as before: 0",
            "Matched: " + percent(475, 1_752),
            MATCH,
            "no search: ",
            "dark",
            "light"),
        noted(
            """
            push('i'); note('upside down: ' + (pixels('all', 'top') > 100));
            push('I'); note('as before: ' + pixels('all', 'top'));
            push('f', {ctrlKey: true});
            document.activeElement.value = 'ucrt';
            document.activeElement.dispatchEvent(new Event('input'));
            note(text('matched'));
            go({search: 'shopcore'}); push('n'); push('n'); push('n'); push('N', {shiftKey: true});
            note(text('status'));
            push('Escape'); note('no search: ' + text('matched'));
            push('d'); note(document.documentElement.dataset.theme);
            push('d'); note(document.documentElement.dataset.theme);
            """));
  }

  @Test
  void clicksZoomAndHide() throws IOException, InterruptedException {
    String wide = "note(Math.round(pixels('%s', 'width')));".formatted(MATCH);
    assertEquals(
        List.of(
            Long.toString(Math.round(Chromium.WIDTH)),
            Long.toString(Math.round(Chromium.WIDTH * 925 / 1_752)),
            "hidden: true",
            "1 stack hidden: 0 brings everything back",
            Long.toString(Math.round(Chromium.WIDTH * 925 / 1_752))),
        noted(
            """
            frame('%1$s').click(); %2$s
            push('0'); %2$s
            frame('%1$s').dispatchEvent(new MouseEvent('click', {altKey: true, bubbles: true}));
            note('hidden: ' + (frame('%1$s') === undefined));
            note(text('notes'));
            push('0'); %2$s
            """
                .formatted(MATCH, wide)));
  }

  @Test
  void hiddenStacksDoNotCount() throws IOException, InterruptedException {
    Dom hidden = open("hide=" + open("").frame(MATCH).number());
    assertTrue(hidden.frames().stream().noneMatch(f -> f.name().equals(MATCH)));
    assertEquals(1_752 - 925, hidden.frame("all").weight());
  }

  @Test
  void arrowsWalkAlongTheHeaviestAndTellTheFrame() throws IOException, InterruptedException {
    Dom dom =
        after(
            """
            for (let i = 0; i < 6; i++) push('ArrowDown');
            note(text('status'));
            push('ArrowLeft'); note(text('status'));
            push('ArrowRight'); note(text('status'));
            push('ArrowUp'); note(text('status'));
            push('Enter');
            """);
    assertEquals(
        List.of("ucrtbase.dll+0x11e00", "shopcore.dll+0x12400", "ucrtbase.dll+0x11e00", MATCH),
        dom.text("noted").lines().toList());
    assertEquals(Chromium.WIDTH, dom.frame(MATCH).width(), 0.01);
    assertTrue(dom.html().contains("id=\"status\" aria-live=\"polite\""));
  }

  @Test
  void theTextTreeHasTheSameFigures() throws IOException, InterruptedException {
    Dom tree = open("tree=1");
    assertTrue(tree.html().contains("<summary>100.0 %  1,752  self 0  all</summary>"));
    assertTrue(tree.html().contains("<summary>52.8 %  925  self 345  " + MATCH + "</summary>"));
    assertTrue(tree.html().contains("<p>27.1 %  475  self 475  ucrtbase.dll+0x11e00</p>"));
  }

  @Test
  void theAddressKeepsTheState() throws IOException, InterruptedException {
    Dom dom =
        after(
            """
            frame('%s').click();
            go({search: 'ucrt'});
            document.title = location.hash;
            """
                .formatted(MATCH));
    int number = open("").frame(MATCH).number();
    assertTrue(
        dom.html().contains("<title>#zoom=" + number + "&amp;search=ucrt</title>"),
        dom.html().substring(0, 400));
  }

  @Test
  void namesCannotDoAnything() throws IOException, InterruptedException {
    List<String> names =
        List.of(
            "</script><script>document.title='owned'</script>",
            "<img src=x onerror=\"document.title='owned'\">",
            "'];document.title='owned';['",
            "\\'];document.title='owned'//",
            "${document.title='owned'}",
            "<!--<script>",
            "--><svg onload=alert(1)>",
            "&lt;b&gt;",
            "a<b>::operator</(c)",
            "\u202Egnp.exe",
            "\uD83D\uDE00\uD83D\uDE01",
            "\uD83D\uDE00\uD83D\uDE02");
    StringBuilder stacks = new StringBuilder();
    names.forEach(name -> stacks.append("main;").append(name.replace(';', ':')).append(" 100\n"));
    Path input = Files.writeString(folder.resolve("<b onclick=x>.collapsed.txt"), stacks);
    assertEquals(0, Cli.run("export", input, "-o", page).exit());
    Dom dom = open("");
    Set<String> drawn = new HashSet<>();
    dom.frames().forEach(frame -> drawn.add(frame.name()));
    Set<String> expected = new HashSet<>(Set.of("all", "main"));
    names.forEach(name -> expected.add(name.replace(';', ':')));
    assertEquals(expected, drawn);
    String written = dom.html().substring(0, dom.html().indexOf("<script>"));
    assertTrue(
        written.contains("<title>&lt;b onclick=x&gt;.collapsed.txt</title>"), "the title is ours");
    assertFalse(Pattern.compile("<(img|svg|b|iframe)\\b").matcher(written).find(), written);
    assertEquals(3, dom.html().split("</script>", -1).length, "two scripts");
  }

  @Test
  void nothingIsLoadedFromAnywhere() throws IOException {
    String html = Files.readString(page);
    assertTrue(html.contains("\"default-src 'none'; "), "the page forbids it to itself");
    assertFalse(
        Pattern.compile("https?:|//[a-z]+\\.|\\ssrc=|\\shref=|url\\(|@import")
            .matcher(html)
            .find());
  }

  @Test
  void manyFramesAreDrawnWhereTheyAreSeen() throws IOException, InterruptedException {
    StringBuilder stacks = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      stacks.append("main;f").append(i % 100).append(";g").append(i);
      stacks.append(";h;i;j 1\n");
    }
    Path input = Files.writeString(folder.resolve("many.collapsed.txt"), stacks);
    assertEquals(0, Cli.run("export", input, "--min", "0", "-o", page).exit());
    Dom dom = open("");
    assertTrue(dom.frames().size() < 1_000, "too narrow: " + dom.frames().size());
    assertTrue(
        dom.text("notes").contains("80,000 frames too narrow to be drawn here"), dom.text("notes"));
    assertEquals(102, dom.frames().size(), "all, main and the hundred below it");
    int number = dom.frame("f7").number();
    assertEquals(1 + 1 + 1 + 4 * 200, open("zoom=" + number).frames().size());
    assertEquals(0, Cli.run("export", input, "--min", "0.1", "-o", page).exit());
    Dom bounded = open("");
    assertEquals(102, bounded.frames().size());
    assertTrue(
        bounded
            .text("notes")
            .startsWith(
                "80,000 frames below 0.1 % of all left out: the weight stays with what calls them"),
        bounded.text("notes"));
  }

  @Test
  void aComparisonIsColouredByTheChange() throws IOException, InterruptedException {
    Path before =
        Files.writeString(folder.resolve("a.txt"), "main;less 60\nmain;gone 20\nmain;same 20\n");
    Path after =
        Files.writeString(folder.resolve("b.txt"), "main;less 20\nmain;new 140\nmain;same 40\n");
    assertEquals(0, Cli.run("diff", before, after, "--to", "flamegraph", "-o", page).exit());
    Dom dom = open("");
    Frame less = dom.frame("less");
    assertEquals(Chromium.WIDTH * 20 / 200, less.width(), 0.01);
    assertEquals("rgb(117, 117, 255)", less.background(), "blue: 50 of 70 points");
    assertTrue(
        less.title()
            .endsWith(
                "after 20 samples, 10.0 % of all\n"
                    + "before 60 samples, 60.0 % of all; change of the share -50.0"),
        less.title());
    assertEquals("rgb(255, 225, 60)", dom.frame("new").background(), "yellow");
    assertEquals("rgb(235, 235, 235)", dom.frame("same").background(), "20 of 100, 40 of 200");
    assertTrue(dom.frames().stream().noneMatch(f -> f.name().equals("gone")));
    assertEquals(
        0, Cli.run("diff", before, after, "--to", "flamegraph", "--swap", "-o", page).exit());
    Dom swapped = open("");
    Frame gone = swapped.frame("gone");
    assertEquals(Chromium.WIDTH * 20 / 100, gone.width(), 0.01);
    assertTrue(
        gone.title()
            .endsWith(
                "before 20 samples, 20.0 % of all\n"
                    + "after 0 samples, 0.0 % of all; change of the share -20.0"),
        gone.title());
    assertTrue(swapped.frames().stream().noneMatch(f -> f.name().equals("new")));
  }

  @Test
  void aProfileBesideItselfHasNoColour() throws IOException, InterruptedException {
    assertEquals(0, Cli.run("diff", recording, recording, "--to", "flamegraph", "-o", page).exit());
    List<Frame> frames = open("").frames();
    assertTrue(frames.size() > 40);
    for (Frame frame : frames.subList(1, frames.size())) {
      assertEquals("rgb(235, 235, 235)", frame.background(), frame.title());
    }
  }

  @Test
  void theLegendNamesTheColoursThatAreThere() throws IOException, InterruptedException {
    String legend = legend(open("#search=memcpy%7Cmain"));
    assertTrue(legend.contains("background: rgb(225, 90, 90);\"></i>program or library"), legend);
    assertTrue(legend.contains("background: rgb(225, 125, 0);\"></i>kernel"), legend);
    assertTrue(!legend.contains("inlined"), legend);
    Path before = Files.writeString(folder.resolve("a.txt"), "main;less 60\nmain;same 20\n");
    Path after = Files.writeString(folder.resolve("b.txt"), "main;less 20\nmain;new 40\n");
    assertEquals(0, Cli.run("diff", before, after, "--to", "flamegraph", "-o", page).exit());
    String compared = legend(open(""));
    for (String words : List.of("share grew", "share shrank", "as before", "new")) {
      assertTrue(compared.contains("</i>" + words + "</span>"), compared);
    }
  }

  private static String legend(Dom dom) {
    int begin = dom.html().indexOf("<div id=\"legend\"");
    return dom.html().substring(begin, dom.html().indexOf("</div>", begin));
  }
}
