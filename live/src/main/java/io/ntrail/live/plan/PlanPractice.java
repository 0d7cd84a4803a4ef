package io.ntrail.live.plan;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.target.TargetModule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Practice for planning: plans a module for nobody, and forgets the plan.
 *
 * <p>The first plans of a process take several times as long as later ones, until the JVM has
 * compiled them. A thread of the target waits for the plan of a library that it loads; so what can
 * be compiled before is.
 */
public final class PlanPractice {
  /** Number of plans: more gain nothing. */
  private static final int PLANS = 4;

  private PlanPractice() {}

  /** Plans an image in a file. */
  static void plan(Path file) {
    plan(file, PLANS);
  }

  /** Plans an image in a file several times; other files are left out. */
  public static void plan(Path file, int plans) {
    String name = file.toString();
    try (InputFile input = InputFile.map(file, name)) {
      PeImage image = PeImage.ofFile(input);
      long size = image.headers().sizeOfImage();
      plan(new TargetModule(image.headers().imageBase(), size, name, name), image, plans);
    } catch (IOException | CannotGoOn e) {
      // A recording, for example.
    }
  }

  /** Plans a module several times, with few of its functions and with all in turn. */
  private static void plan(TargetModule module, PeImage image, int plans) {
    try {
      for (int i = 0; i < plans; i++) {
        Planner.plan(module, image, Map.of(), Optional.empty(), i % 2 == 0 ? FEW : ALL);
      }
    } catch (CannotGoOn | DamagedInput e) {
      // Whoever needs the module is told.
    }
  }

  private static final Planner.Selection FEW = new Some("Size");
  private static final Planner.Selection ALL = new Some("");

  /** Functions whose names have a part. */
  private record Some(String part) implements Planner.Selection {
    @Override
    public boolean wants(TargetModule module, String name) {
      return name.contains(part);
    }

    @Override
    public boolean excludes(TargetModule module, String name) {
      return false;
    }
  }
}
