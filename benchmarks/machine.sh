# Tools and Wine for measurements of live tracing, of one of the two machines; sourced by benchmarks/live and
# benchmarks/thesis.
#
#   machine_tools x64|ia32 FOLDER    sets native (a compiler of programs for this system), windows (one of programs
#                                    for Windows) and the variables of Wine, and finds uftrace
#
# For ia32, Debian's packages for i386 are unpacked into the folder: the system need not know that architecture.

machine_tools() {
  local machine=$1 work=$2 tool
  native=(gcc) windows=(x86_64-w64-mingw32-gcc)
  export WINEPREFIX=$work/prefix WINEARCH=win64 WINEDEBUG=-all
  export WINEDLLOVERRIDES='mscoree,mshtml,winemenubuilder.exe='
  mkdir "$WINEPREFIX"
  if [ "$machine" = ia32 ]; then
    windows=(i686-w64-mingw32-gcc)
    export WINEARCH=win32
    ia32_wine
    ia32_native "$work/i386"
  fi
  for tool in wine wineserver uftrace "${native[0]}" "${windows[0]}"; do
    command -v "$tool" >/dev/null || { echo "$0: no $tool" >&2 && return 4; }
  done
}

# Debian's own 32-bit Wine, or what build/install-wine32 unpacked.
ia32_wine() {
  local folder library
  for folder in /usr/lib/wine /usr/local/lib/wine32/usr/lib/wine; do
    if [ -x "$folder/wine" ]; then
      export WINELOADER=$folder/wine WINESERVER=$folder/wineserver32
      # By links it would look for its libraries elsewhere.
      wine() { "$WINELOADER" "$@"; }
      wineserver() { "$WINESERVER" "$@"; }
      # Its programs need it, and it is none of Wine's own.
      library=$(find /usr/i686-w64-mingw32/lib "${folder%/wine}/i386-linux-gnu/wine" -name zlib1.dll 2>/dev/null | head -1)
      mkdir -p "$WINEPREFIX/drive_c/windows/system32"
      [ -z "$library" ] || cp "$library" "$WINEPREFIX/drive_c/windows/system32/"
      return
    fi
  done
  echo "$0: no Wine for 32-bit programs: build/install-wine32 unpacks it" >&2 && return 4
}

# A compiler, its libraries, and uftrace.
ia32_native() {
  local tree=$1
  local libraries=$tree/usr/lib/i386-linux-gnu tools=$tree/tools compiler
  build/unpack-i386 "$tree" libc6-dev libgcc-12-dev linux-libc-dev libcrypt-dev uftrace libelf1 libdw1 libpython3.11 \
    libluajit-5.1-2 libncursesw6 libtinfo6 libstdc++6 libbz2-1.0 liblzma5 zlib1g libexpat1 libtraceevent1
  # Its own names the libraries of an installed system.
  echo "GROUP ( libc.so.6 $libraries/libc_nonshared.a AS_NEEDED ( ld-linux.so.2 ) )" >"$libraries/libc.so"
  compiler=$(echo "$tree"/usr/lib/gcc/i686-linux-gnu/*)
  native=(gcc -m32 "-B$compiler/" "-B$libraries/" -isystem "$tree/usr/include" -isystem "$tree/usr/include/i386-linux-gnu"
    "-L$compiler" "-L$libraries" -L/usr/lib/i386-linux-gnu)
  mkdir "$tools"
  PATH=$tools:$PATH
  cat >"$tools/uftrace" <<END
#!/bin/sh
command=\$1 && shift
LD_LIBRARY_PATH=$libraries:$tree/lib/i386-linux-gnu \\
  exec $tree/usr/bin/uftrace "\$command" --libmcount-path=$libraries/uftrace "\$@"
END
  chmod +x "$tools/uftrace"
}
