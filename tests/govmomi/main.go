// Command vcsim serves govmomi's vSphere simulator on loopback, so that dslatd
// meets a server nobody here wrote.
//
//	vcsim vpx|esx
//
// prints its address on one line and serves until its standard input ends.
package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"os"

	"github.com/vmware/govmomi/simulator"
)

func model(kind string) (*simulator.Model, error) {
	switch kind {
	case "vpx":
		m := simulator.VPX()
		m.Datastore = 3
		m.ClusterHost = 4
		return m, nil
	case "esx":
		return simulator.ESX(), nil
	}
	return nil, fmt.Errorf("usage: vcsim vpx|esx")
}

func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: vcsim vpx|esx")
	}
	m, err := model(os.Args[1])
	if err != nil {
		return err
	}
	defer m.Remove()
	if err := m.Create(); err != nil {
		return err
	}
	m.Service.TLS = new(tls.Config)
	s := m.Service.NewServer()
	defer s.Close()
	fmt.Println(s.URL)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "vcsim:", err)
		os.Exit(1)
	}
}
