package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowSettings;
import io.ntrail.analysis.flow.WholeFlow;
import io.ntrail.analysis.flow.recorded.DriverCode.Place;
import io.ntrail.analysis.flow.recorded.VariantScore.Driver;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.PacketError;
import io.ntrail.formats.pt.PacketType;
import io.ntrail.programs.kernelcode.CodeVariant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds out in which variant the code of each driver was, by trying which one the flow goes on
 * with. A variant that is worse than another one in any piece is out; what is left at the end may
 * be several, where nothing that ran tells them apart.
 */
final class VariantChoice {
  /** Pieces in which a driver's variants are tried, if they stay equally good. */
  private static final int MOST_TRIALS = 64;

  /** Drivers whose variants are tried in one piece. */
  private static final int MOST_DRIVERS = 64;

  /** Knowledge about one driver. */
  private static final class Known {
    /** Without the calls through r10, which compressed returns do not tell from slots. */
    private final EnumSet<CodeVariant> possible =
        EnumSet.complementOf(EnumSet.of(CodeVariant.IMPORT_REGISTER));

    private int pieces;

    /** Pieces in which something counted against all. */
    private int wrong;

    /** Returns whether calls through r10 may explain what counts against the others. */
    boolean mayCallThroughRegister() {
      return !possible.contains(CodeVariant.IMPORT_REGISTER) && wrong < MOST_TRIALS;
    }

    boolean isOpen() {
      return possible.size() > 1 && pieces < MOST_TRIALS;
    }
  }

  private static final WholeFlow.PacketSink NO_PACKETS =
      new WholeFlow.PacketSink() {
        @Override
        public void time(PacketType type, long value, boolean inHeader) {
          // Variants have the same times.
        }

        @Override
        public void timed() {
          // Variants have the same times.
        }

        @Override
        public void damage(PacketError error, long offset, long length) {
          // Variants have the same damage.
        }
      };

  private final DriverCode drivers;
  private final FlowSettings settings;
  private final Map<Place, Known> known = new LinkedHashMap<>();

  VariantChoice(DriverCode drivers, FlowSettings settings) {
    this.drivers = drivers;
    this.settings = settings;
  }

  /** Returns how much speaks against the code as it is taken now. */
  long against(InputFile stream, ProcessCode code) {
    return score(stream, code, null, CodeVariant.FILE).against();
  }

  /** Learns from a piece. */
  void learn(InputFile stream, ProcessCode code) {
    VariantScore now = score(stream, code, null, CodeVariant.FILE);
    Set<Place> seen = new LinkedHashSet<>();
    for (int round = 0; round < MOST_DRIVERS; round++) {
      boolean isWrong = now.against() > 0;
      Place next =
          now.touched().stream()
              .filter(place ->
                  !seen.contains(place)
                      && (of(place).isOpen() || isWrong && of(place).mayCallThroughRegister()))
              .findFirst()
              .orElse(null);
      if (next == null) {
        break;
      }
      seen.add(next);
      now = tryVariants(stream, code, next, now);
    }
    now.touched().forEach(place -> of(place).pieces++);
  }

  private Known of(Place place) {
    return known.computeIfAbsent(place, _ -> new Known());
  }

  /** Tries the variants of a driver, and takes the best one. */
  private VariantScore tryVariants(
      InputFile stream, ProcessCode code, Place place, VariantScore now) {
    CodeVariant current = drivers.variant(place);
    Known about = of(place);
    Map<CodeVariant, VariantScore> scores = new EnumMap<>(CodeVariant.class);
    for (CodeVariant variant : about.possible) {
      scores.put(variant, variant == current ? now : score(stream, code, place, variant));
    }
    if (least(scores) > 0 && about.mayCallThroughRegister()) {
      about.wrong++;
      VariantScore register = score(stream, code, place, CodeVariant.IMPORT_REGISTER);
      if (register.against() < least(scores)) {
        scores.put(CodeVariant.IMPORT_REGISTER, register);
        about.possible.add(CodeVariant.IMPORT_REGISTER);
      }
    }
    long least = least(scores);
    scores.forEach((variant, score) -> {
      if (score.against() > least) {
        about.possible.remove(variant);
      }
    });
    CodeVariant taken =
        about.possible.contains(current) ? current : about.possible.iterator().next();
    drivers.choose(place, taken);
    return scores.getOrDefault(taken, now);
  }

  private static long least(Map<CodeVariant, VariantScore> scores) {
    return scores.values().stream().mapToLong(VariantScore::against).min().orElse(0);
  }

  /** Returns what speaks against the code as it is taken now, with another variant of a driver. */
  private VariantScore score(
      InputFile stream, ProcessCode code, @Nullable Place place, CodeVariant variant) {
    CodeSource source =
        (file, base) -> {
          Place other = new Place(file, base);
          return drivers.code(other, other.equals(place) ? variant : drivers.variant(other));
        };
    ProcessCode tried = code.from(source);
    Map<Integer, @Nullable Driver> byLoad = new LinkedHashMap<>();
    VariantScore score =
        new VariantScore(
            address -> {
              int load = tried.at(address);
              return load < 0
                  ? null
                  : byLoad.computeIfAbsent(load, at -> driver(tried, at, place, variant));
            },
            new DispatcherCheck(tried)::at);
    new WholeFlow(stream, tried, settings).run(false, new CodeBlocks(tried), score, NO_PACKETS);
    return score;
  }

  private @Nullable Driver driver(
      ProcessCode code, int load, @Nullable Place place, CodeVariant variant) {
    Place at = new Place(code.loads().get(load).file(), code.loads().get(load).base());
    DriverSites sites = drivers.sites(at, at.equals(place) ? variant : drivers.variant(at));
    return sites == null ? null : new Driver(at, sites);
  }

  /** Returns the drivers of which sites were executed, each with what was found out. */
  List<DriverVariant> found() {
    List<DriverVariant> found = new ArrayList<>();
    known.forEach((place, about) ->
        found.add(
            new DriverVariant(
                drivers.name(place),
                place.base(),
                drivers.variant(place),
                about.possible,
                about.pieces)));
    return found;
  }
}
