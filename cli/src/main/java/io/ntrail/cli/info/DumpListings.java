package io.ntrail.cli.info;

import io.ntrail.analysis.dumps.DumpRecording;
import io.ntrail.analysis.dumps.DumpView;
import io.ntrail.analysis.dumps.DumpedModule;
import io.ntrail.analysis.dumps.DumpedThread;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.dump.DumpStream;
import io.ntrail.formats.dump.UnloadedModule;
import io.ntrail.formats.dump.context.ProcessorContext;
import io.ntrail.formats.dump.streams.ThreadInfo;
import io.ntrail.formats.identity.FileTime;
import io.ntrail.formats.identity.FileVersion;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.identity.WindowsPath;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The tables of a dump: streams, threads, modules. */
final class DumpListings {
  private DumpListings() {}

  static Listing<DumpStream> streams(DumpRecording dump) {
    ListingColumns<DumpStream> columns =
        new ListingColumns<DumpStream>()
            .hex("type", stream -> Integer.toUnsignedLong(stream.number()))
            .titled("stream")
            .count("bytes", DumpStream::size)
            .titled()
            .count("offset", DumpStream::offset)
            .titled()
            .text("typeText", DumpStream::title)
            .titled("kind");
    return new Listing<>("streams", columns, dump.dump().streams()::forEach);
  }

  static Listing<DumpedThread> threads(DumpRecording dump) {
    DumpView view = dump.view();
    ListingColumns<DumpedThread> columns =
        new ListingColumns<DumpedThread>()
            .count("tid", DumpedThread::tid)
            .text("name", DumpedThread::name)
            .flag("faulting", DumpedThread::isFaulting)
            .flag("writer", DumpedThread::isWriter)
            .value(
                "ip",
                (thread, cell) -> {
                  OptionalLong ip =
                      view.start(thread).map(ProcessorContext::ip).orElse(OptionalLong.empty());
                  if (ip.isPresent()) {
                    cell.hex(ip.getAsLong());
                  } else {
                    cell.unknown();
                  }
                })
            .hex("teb", DumpedThread::teb)
            .count("suspendCount", thread -> thread.thread().suspendCount())
            .hex("stack", thread -> thread.thread().stackStart())
            .count("stackBytes", thread -> thread.thread().stack().size())
            .text("createdUtc", of(info -> Numbers.utc(info.createTime())))
            .value(
                "cpuNanos",
                (thread, cell) -> {
                  if (thread.info().isPresent()) {
                    ThreadInfo info = thread.info().get();
                    cell.count((info.kernelTime() + info.userTime()) * 100);
                  } else {
                    cell.unknown();
                  }
                });
    return new Listing<>("threads", columns, dump.threads()::forEach);
  }

  private static Function<DumpedThread, @Nullable String> of(
      Function<ThreadInfo, @Nullable String> text) {
    return thread -> {
      Optional<ThreadInfo> info =
          thread.info().filter(known -> FileTime.isDate(known.createTime()));
      return info.isPresent() ? text.apply(info.get()) : null;
    };
  }

  static Listing<DumpedModule> modules(DumpRecording dump) {
    ListingColumns<DumpedModule> columns =
        new ListingColumns<DumpedModule>()
            .hex("base", DumpedModule::base)
            .titled()
            .value("size", (module, cell) -> cell.hexCount(module.size()))
            .titled()
            .right()
            .text("version", module -> version(module))
            .titled()
            .text("codeId", module -> module.id().timestamp() == 0 ? null : module.id().key())
            .value(
                "pdb",
                (module, cell) -> {
                  Optional<PdbId> pdb = module.pdb();
                  cell.shaped(() -> pdb.map(PdbId::key).orElse(""), json -> pdb(json, module, pdb));
                })
            .titled("PDB id")
            .hex("timestamp", module -> module.id().timestamp())
            .hex("checksum", module -> module.module().checksum())
            .text("name", DumpedModule::name)
            .text("path", DumpedModule::path)
            .titled("image");
    return new Listing<>("modules", columns, dump.modules().list()::forEach);
  }

  private static @Nullable String version(DumpedModule module) {
    return module.module().version().map(known -> FileVersion.text(known.file())).orElse(null);
  }

  private static void pdb(Json json, DumpedModule module, Optional<PdbId> pdb) {
    if (pdb.isEmpty()) {
      json.text((String) null);
      return;
    }
    json.object()
        .text("guid", pdb.get().guid().toString())
        .number("age", pdb.get().age())
        .text("name", module.pdbPath())
        .endObject();
  }

  static Listing<UnloadedModule> unloaded(DumpRecording dump) {
    ListingColumns<UnloadedModule> columns =
        new ListingColumns<UnloadedModule>()
            .hex("base", UnloadedModule::base)
            .value("size", (module, cell) -> cell.hexCount(module.size()))
            .hex("timestamp", UnloadedModule::timestamp)
            .hex("checksum", UnloadedModule::checksum)
            .text("name", module -> WindowsPath.lastPart(module.path()));
    return new Listing<>("unloadedModules", columns, dump.modules().unloaded()::forEach);
  }
}
