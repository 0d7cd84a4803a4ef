package io.ntrail.analysis.merge.names;

import java.util.Arrays;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Names that say nothing about a user, a machine or what is on it, as every Windows machine has
 * them, or every machine of its kind. They stay, so that a recording can still be read.
 */
final class WellKnownNames {
  /** Accounts and groups of every machine; machines that are no particular one. */
  private static final Set<String> NOBODY =
      lines(
          """
          administrator|admin|administrators|guest|guests|user|users|public|default|default user
          all users|defaultaccount|wdagutilityaccount|system|localsystem|local system|localservice
          local service|networkservice|network service|nt authority|nt service|builtin|workgroup
          everyone|anonymous|anonymous logon|owner|root|nobody|none|null|unknown|n/a|localhost
          local|console|service|services|font driver host|window manager|trustedinstaller
          iis apppool|mshome|home|true|false|yes|no|self|interactive|authenticated users|defaultuser0
          systemprofile|defaultapppool|nt virtual machine|application package authority
          """);

  /** Folders of Windows and of programs of any kind. */
  private static final Set<String> FOLDERS =
      lines(
          """
          device|mup|lanmanredirector|webdavredirector|namedpipe|mailslot|vmsmb|systemroot|global??
          basenamedobjects|sessions|rpc control|knowndlls|knowndlls32|registry|machine|pipe|unc|mnt
          windows|system32|syswow64|sysarm32|sysnative|winsxs|drivers|driverstore|filerepository
          program files|program files (x86)|program files (arm)|programdata|users|public|default
          documents and settings|application data|local settings|common files|windowsapps
          windows nt|windows defender|windows mail|windows photo viewer|windows media player
          internet explorer|windowspowershell|powershell|microsoft|microsoft.net|microsoft shared
          microsoft office|office|google|chrome|application|mozilla|edge|edgewebview|onedrive
          appdata|local|locallow|roaming|temp|tmp|temporary internet files|inetcache|history
          cookies|desktop|documents|downloads|pictures|music|videos|favorites|links|contacts
          saved games|searches|start menu|programs|startup|recent|sendto|templates|network
          my documents|my pictures|my music|all users|default user|systemprofile|serviceprofiles
          localservice|networkservice|localsystem|perflogs|recovery|boot|efi|msocache|windows.old
          assembly|gac|gac_32|gac_64|gac_msil|framework|framework64|nativeimages|fonts|help|inf
          config|configuration|logs|log|logfiles|cache|caches|data|etc|wbem|repository|spool
          printers|tasks|prefetch|servicing|packages|catroot|catroot2|migration|globalization
          resources|themes|media|web|cursors|debug|installer|softwaredistribution|download
          datastore|policies|grouppolicy|securityhealth|microsoft security client|winevt|wdi
          system volume information|$recycle.bin|$extend|$mft|$mftmirr|$logfile|$bitmap|$secure
          $usnjrnl|$volume|$boot|$badclus|$upcase|$attrdef|$txf|$txflog|$repair|$objid|$quota
          $reparse|$directory|$noname|$converttonontxf|$prepare|$tops|$rmmetadata|$deleted
          pagefile|swapfile|hiberfil|bootmgr|ntuser|usrclass|desktop.ini|thumbs|iconcache|webcache
          bin|obj|src|source|sources|lib|libs|include|includes|doc|docs|test|tests|tools|build
          out|output|dist|release|common|shared|scripts|samples|plugins|modules|node_modules
          x86|x64|amd64|arm|arm64|win32|win64|i386|wow64|any|ref|runtimes|native|sdk|sdks|dotnet
          java|jre|jdk|python|perl|git|cmd|usr|opt|var|dev|proc|home|work|www|html|inetpub|wwwroot
          ipc$|admin$|print$|fi_unknown|hiberfile|memory|registry|system|explorer|shell|app|apps
          index|main|settings|update|updates|version|security|event|events|trace|traces|etl
          client|clients|server|servers|service|services|internal|core|engine|telemetry|base|api
          apis|model|models|view|views|controller|controllers|util|utils|utility|utilities|helper
          helpers|extension|extensions|framework|runtime|library|libraries|package|component
          components|module|plugin|provider|providers|host|hosting|native|managed|interop|public
          private|project|projects|solution|main|master|trunk|branch|branches|agent|agents|driver
          image|images|icon|icons|assets|content|contents|files|file|folder|folders|name|names
          process|processid|thread|threads|task|guid|schema|schemas|start|stop|disable|enable
          enabled|disabled|flags|flag|type|types|id|ids|key|keys|value|values|state|status|mode
          input|inputs|output|outputs|read|write|open|close|load|run|session|sessions|user|users
          admin|operational|analytic|diagnostic|diagnostics|performance|monitor|monitoring|debug
          net|http|https|io|ui|ux|db|sql|xml|json|text|tools|toolkit|workspace|languages|language
          en|de|fr|ja|zh|retail|checked|fre|objfre|chk|objchk|signed|unsigned|symbols|sym|pdb
          legacy|binaries|drop|artifacts|staging|setup|install|installation|uninstall|bootstrapper
          platform|platforms|product|products|company|application|applications|assemblies|gen
          generated|external|externals|third_party|thirdparty|vendor|vendors|contrib|examples
          collections|linq|threading|tasks|reflection|serialization|security|cryptography|network
          networking|web|webservices|data|dataaccess|entity|entities|business|logic|ui|windows
          [multiple files]|connecteddevicesplatform|comms|fontcache|diagtrack|wer|reportqueue|reportarchive
          """);

  /** Folders of Windows whose contents are Windows' own. */
  private static final Set<String> TREES =
      lines(
          """
          winsxs|assembly|servicing|driverstore|microsoft.net|systemapps|fonts|catroot|catroot2
          globalization|inf|systemresources|wbem|windowspowershell|migration|immersivecontrolpanel
          """);

  /** Words that are part of so many texts that nothing is readable without them. */
  private static final Set<String> STRUCTURE =
      lines(
          """
          windows|system32|syswow64|systemroot|device|users|microsoft|registry|machine|program files
          winsxs|drivers|software|kernel|ntoskrnl|ntdll|kernel32|kernelbase|user32|win32k|process
          thread|image|file|harddiskvolume|program files (x86)|programdata|explorer|svchost|event
          """);

  /** Elements and attributes of manifests, which must stay for them to be read. */
  private static final Set<String> MARKUP =
      lines(
          """
          instrumentationmanifest|instrumentation|events|provider|event|template|templates|data
          struct|task|tasks|opcode|opcodes|keyword|keywords|level|levels|channel|channels|map|maps
          valuemap|bitmap|message|messagetable|localization|resources|stringtable|string|symbol
          name|guid|value|version|mask|tid|intype|outtype|length|count|eventguid|enabled|type
          xmlns|http|https|schemas|microsoft|com|win|xml|resourcefilename|messagefilename|culture
          encoding|utf|unicodestring|ansistring|int8|uint8|int16|uint16|int32|uint32|int64|uint64
          float|double|boolean|binary|pointer|sizet|filetime|systemtime|sid|hexint32|hexint64|id
          """);

  private static final Set<String> IMAGES =
      lines("exe|dll|sys|pdb|ocx|drv|cpl|ax|acm|efi|scr|tsp|mui|com|winmd|node|pyd|so");

  private static final Set<String> EXTENSIONS =
      lines(
          """
          7z|aac|accdb|acl|adml|admx|aspx|asp|asm|asx|aux|avi|bak|bat|bin|blf|blob|bmp|bz2|c|cab
          cat|cc|cdf-ms|cer|cfg|cfm|chk|chm|class|clb|cls|cmd|conf|config|cpp|crt|crx|cs|csproj
          css|csv|cur|cxx|dat|data|db|db-shm|db-wal|dbf|def|diff|dir|djvu|dmp|doc|docm|docx|dot
          dotx|edb|eml|eps|epub|etl|evt|evtx|eot|flac|fon|gif|go|gz|h|hdr|hlp|hpp|htm|html|hve|icm
          ico|idx|inc|inf|ini|iso|jar|java|jfm|jpeg|jpg|jrs|js|json|jsonlz4|jsx|key|kdbx|lck|ldb
          lib|library-ms|lnk|lock|log|log1|log2|m3u|m4a|m4v|man|manifest|map|md|mdb|mdf|mfl|mht
          mkv|mof|mov|mp3|mp4|mpg|msc|msg|msi|msp|mst|nls|nupkg|obj|odp|ods|odt|old|ogg|one|ost
          otf|p12|p7b|p7s|pak|pch|pcx|pdf|pem|pf|pfx|php|pl|pma|pnf|png|pps|ppsx|ppt|pptm|pptx|pri
          properties|proto|ps1|psd|psd1|psm1|pst|ptx|pub|py|pyc|rar|rb|rdp|reg|regtrans-ms|res
          resources|resx|rs|rtf|sav|sdb|search-ms|sh|sln|sql|sqlite|sqlite3|srt|svg|swf|swp|tar|tbl
          tgz|tif|tiff|tlb|tmp|toml|ts|tsv|tsx|ttc|ttf|txt|url|vb|vbs|vcxproj|vdi|vhd|vhdx|vmdk|vsd
          vsdx|wav|webm|webp|wim|wma|wmf|wmv|woff|woff2|xaml|xls|xlsb|xlsm|xlsx|xml|xps|xsd|xsl|yml
          yaml|zip|zst
          """);

  /** Names that machines number, versions and languages. */
  private static final Pattern NUMBERED =
      Pattern.compile(
          "(?:harddisk|harddiskvolume|harddiskvolumeshadowcopy|cdrom|partition|dr|volume"
              + "|floppy|clfs|com|lpt|dfsclient)\\d+"
              + "|volume\\{[0-9a-f-]+\\}"
              + "|v?\\d+(?:\\.\\d+)+"
              + "|[a-z]{2,3}(?:-[a-z]{4})?-[a-z]{2}(?:-[a-z]+)?"
              + "|s-1-[0-9-]+(?:_classes)?");

  private WellKnownNames() {}

  private static Set<String> lines(String text) {
    return Arrays.stream(text.split("[|\\n]"))
        .map(String::strip)
        .filter(word -> !word.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns true if an account or machine of this name is no particular one. */
  static boolean isNobody(String folded) {
    return NOBODY.contains(folded) || folded.startsWith("dwm-") || folded.startsWith("umfd-");
  }

  /** Returns true if a folder or a file's name without extension says nothing. */
  static boolean isFolder(String folded) {
    return FOLDERS.contains(folded) || NUMBERED.matcher(folded).matches();
  }

  /** Returns true if all that is in a folder of Windows is of Windows itself. */
  static boolean isTree(String folded) {
    return TREES.contains(folded);
  }

  /** Returns true if nothing can be read where this word is replaced. */
  static boolean isStructure(String folded) {
    return STRUCTURE.contains(folded);
  }

  /** Returns true if a name is inside of a word that must stay readable. */
  static boolean isInStructure(String folded) {
    return STRUCTURE.stream().anyMatch(word -> word.contains(folded));
  }

  /** Returns true if a manifest cannot be read without this word. */
  static boolean isMarkup(String folded) {
    return MARKUP.contains(folded);
  }

  /** Returns true if files with this extension are images or their symbols. */
  static boolean isImage(String extension) {
    return IMAGES.contains(extension);
  }

  /** Returns true if an extension tells a kind of file only. */
  static boolean isExtension(String extension) {
    return EXTENSIONS.contains(extension) || IMAGES.contains(extension);
  }
}
