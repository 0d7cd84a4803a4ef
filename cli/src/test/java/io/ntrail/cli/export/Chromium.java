package io.ntrail.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.ExternalTool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A browser without a screen and without a network that opens pages from disk and returns how they
 * look.
 *
 * @param folder where its profile lies
 */
record Chromium(Path folder) {
  static final ExternalTool TOOL =
      ExternalTool.of("chromium", "chromium", "chromium-browser", "google-chrome");

  /** Columns of pixels, the margins of the graph left out. */
  static final double WIDTH = 1280 - 20;

  private static final Pattern FRAME = Pattern.compile("<div ([^>]*data-frame=\"[^>]*)>([^<]*)");
  private static final Pattern ATTRIBUTE = Pattern.compile("([a-z-]+)=\"([^\"]*)\"");

  /** Skips the test if there is none; fails if it must not be. */
  static void assume() {
    assumeTrue(TOOL.available(), TOOL.missing());
  }

  /**
   * A frame that is drawn.
   *
   * @param number among all frames
   * @param title its tooltip
   * @param text in it
   * @param width in pixels
   * @param left in pixels
   * @param top in pixels
   * @param background its colour
   * @param kinds its classes
   */
  record Frame(
      int number,
      String title,
      String text,
      double width,
      double left,
      double top,
      String background,
      String kinds) {
    /** The function. */
    String name() {
      return title.substring(0, title.indexOf('\n'));
    }

    /** Its weight, out of the title. */
    long weight() {
      Matcher number = Pattern.compile("([\\d,]+) \\w+, ").matcher(title);
      assertTrue(number.find(), title);
      return Long.parseLong(number.group(1).replace(",", ""));
    }
  }

  /** The page as it is after its scripts have run. */
  record Dom(String html) {
    /** The frames that are drawn, in the order of the page. */
    List<Frame> frames() {
      List<Frame> frames = new ArrayList<>();
      for (Matcher matcher = FRAME.matcher(html); matcher.find(); ) {
        Map<String, String> told = new java.util.HashMap<>(Map.of("class", ""));
        for (Matcher each = ATTRIBUTE.matcher(matcher.group(1)); each.find(); ) {
          told.put(each.group(1), plain(each.group(2)));
        }
        String style = String.valueOf(told.get("style"));
        frames.add(
            new Frame(
                Integer.parseInt(String.valueOf(told.get("data-frame"))),
                String.valueOf(told.get("title")),
                plain(matcher.group(2)),
                pixels(style, "width"),
                pixels(style, "left"),
                pixels(style, "top"),
                style.replaceFirst(".*background: ([^;]*);.*", "$1"),
                String.valueOf(told.get("class"))));
      }
      return frames;
    }

    private static double pixels(String style, String what) {
      Matcher matcher = Pattern.compile("(?:^|; )" + what + ": ([\\d.]+)px").matcher(style);
      assertTrue(matcher.find(), style);
      return Double.parseDouble(matcher.group(1));
    }

    /** Returns the one frame of that name. */
    Frame frame(String name) {
      List<Frame> found = frames().stream().filter(each -> each.name().equals(name)).toList();
      assertEquals(1, found.size(), name);
      return found.getFirst();
    }

    /** The text of an element that holds nothing else. */
    String text(String id) {
      Matcher matcher = Pattern.compile(" id=\"" + id + "\"[^>]*>([^<]*)<").matcher(html);
      assertTrue(matcher.find(), id);
      return plain(matcher.group(1));
    }
  }

  static String plain(String html) {
    return html.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&nbsp;", "\u00A0")
        .replace("&amp;", "&");
  }

  /**
   * Opens a page.
   *
   * @param state the fragment of its address
   */
  Dom open(Path page, String state) throws IOException, InterruptedException {
    Path profile = Files.createTempDirectory(folder, "profile");
    ExternalTool.Outcome outcome =
        TOOL.run(
            folder,
            Map.of("HOME", profile.toString()),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--no-first-run",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--user-data-dir=" + profile,
            "--window-size=1280,4000",
            "--hide-scrollbars",
            "--virtual-time-budget=5000",
            "--timeout=60000",
            "--dump-dom",
            page.toUri() + (state.isEmpty() ? "" : "#" + state));
    assertEquals(0, outcome.exitCode(), outcome.errors());
    String html =
        new String(outcome.output().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    return new Dom(html);
  }
}
