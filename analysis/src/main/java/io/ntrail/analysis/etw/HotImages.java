package io.ntrail.analysis.etw;

import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.weights.ProfileInput;
import io.ntrail.analysis.etw.weights.Profiler;
import io.ntrail.analysis.naming.Images;
import io.ntrail.analysis.profile.FlatProfile;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.analysis.stacks.NamedFrame;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Images whose names an answer needs, the hottest first. */
public final class HotImages {
  private HotImages() {}

  /** Returns the images of a profile, by self weight, then by inclusive weight. */
  public static List<Integer> of(ProfileInput input, Profiler.Request request) {
    Profiler profiler = new Profiler(input, request, null);
    FlatProfile flat = new FlatProfile(profiler.functions(), true);
    profiler.run(flat);
    List<ProfileRow> rows = new ArrayList<>(flat.rows(true, input.cores()));
    rows.sort(
        Comparator.comparingLong(ProfileRow::self)
            .thenComparingLong(ProfileRow::inclusive)
            .reversed());
    return numbers(
        input.machine().images(), rows.stream().map(row -> String.valueOf(row.module())).toList());
  }

  /**
   * Returns the images of stacks, by the number of frames in them.
   *
   * @param walk with stacks
   * @param limit of events; 0 for all
   */
  public static List<Integer> of(Events events, Events.Walk walk, long limit) {
    FrameCounts frames = new FrameCounts();
    for (long i = 0; (limit == 0 || i < limit) && walk.next(); i++) {
      frames.add(walk.stack());
    }
    return frames.images(events.machine().images());
  }

  /** Returns the images of stacks, by the number of frames in them. */
  public static List<Integer> of(Images images, List<List<NamedFrame>> stacks) {
    FrameCounts frames = new FrameCounts();
    stacks.forEach(frames::add);
    return frames.images(images);
  }

  /** Frames by module. */
  private static final class FrameCounts {
    private final Map<String, Long> byModule = new HashMap<>();

    void add(List<NamedFrame> stack) {
      for (NamedFrame frame : stack) {
        if (frame.module() != null) {
          byModule.merge(frame.module(), 1L, Long::sum);
        }
      }
    }

    List<Integer> images(Images images) {
      return numbers(
          images,
          byModule.entrySet().stream()
              .sorted(
                  Map.Entry.<String, Long>comparingByValue()
                      .reversed()
                      .thenComparing(Map.Entry.comparingByKey()))
              .map(Map.Entry::getKey)
              .toList());
    }
  }

  /** Returns the numbers of the files of some names; a name may have several. */
  private static List<Integer> numbers(Images images, List<String> modules) {
    Map<String, List<Integer>> byName = new HashMap<>();
    for (int i = 0; i < images.files().size(); i++) {
      String name = images.files().get(i).name().toLowerCase(Locale.ROOT);
      byName.computeIfAbsent(name, _ -> new ArrayList<>()).add(i);
    }
    return modules.stream()
        .flatMap(name -> byName.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()).stream())
        .distinct()
        .toList();
  }
}
